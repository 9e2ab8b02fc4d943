import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PACKAGE = "@portkey-ai/gateway";
export const PORTKEY_VERSION = "1.15.2";

/** What it takes by itself is newer, and then it answers every streamed request with 500 (its issue 1389). */
const OVERRIDES = { "@hono/node-server": "1.13.8" };

/**
 * The gateway that Unloop is compared with, installed on first use into a folder for temporary files: no dependency of ours.
 * @returns its entry, or undefined when it cannot be had
 */
export function portkeyEntry(): string | undefined {
  const folder = join(tmpdir(), `unloop-bench-portkey-${PORTKEY_VERSION}`);
  const entry = join(folder, "node_modules", PACKAGE, "build/start-server.js");
  if (existsSync(entry)) return entry;
  process.stderr.write(`Installing ${PACKAGE}@${PORTKEY_VERSION} …\n`);
  const wish = { private: true, dependencies: { [PACKAGE]: PORTKEY_VERSION }, overrides: OVERRIDES };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(wish));
  try {
    const args = ["install", "--prefix", folder, "--omit=dev", "--no-audit", "--no-fund"];
    execFileSync("npm", args, { stdio: "ignore", timeout: 180_000 });
  } catch {
    // Without a registry the others are still worth measuring; who asked is told.
    return undefined;
  }
  return existsSync(entry) ? entry : undefined;
}
