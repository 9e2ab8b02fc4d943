import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { builtCli } from "../support/processes/built-cli.ts";
import { newFolder } from "../support/servers/of-test.ts";

const ROOT = resolve(import.meta.dirname, "../..");

export type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export type Environment = Readonly<Record<string, string>>;

export function command(args: readonly string[], env: Environment = {}): Child {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("UNLOOP_") && name !== "REDIS_URL");
  const child = spawn(process.execPath, [builtCli, ...args], {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), NO_COLOR: "1", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  // A child that does not read its input is no failure of the test.
  child.stdin.on("error", () => undefined);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

export async function served(upstream: string, args: readonly string[] = [], env: Environment = {}) {
  const child = command(["serve", "--upstream", upstream, "--port", "0", ...args], env);
  const finished = ending(child);
  const [first] = await once(child.stderr, "data");
  const banner = String(first);
  const url = /http:\/\/127\.0\.0\.1:\d+(?=\/v1\n)/.exec(banner)?.[0];
  if (url === undefined) throw new Error(`No address in ${banner}`);
  return { url, banner, child, finished };
}

export async function unloop(
  args: readonly string[],
  { stdin = "", env }: { readonly stdin?: string | Uint8Array; readonly env?: Environment } = {},
): Promise<Finished> {
  const child = command(args, env);
  child.stdin.end(stdin);
  return ending(child);
}

export async function ending(child: Child): Promise<Finished> {
  const [[code], out, err] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}

export function files<Name extends string>(
  contents: Readonly<Record<Name, string | Uint8Array>>,
): Record<Name, string> {
  const folder = newFolder();
  const paths: Partial<Record<Name, string>> = {};
  for (const name in contents) {
    paths[name] = join(folder, name);
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), contents[name], { mode: 0o600 });
  }
  return paths as Record<Name, string>;
}
