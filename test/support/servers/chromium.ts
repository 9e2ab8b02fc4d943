import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { onPath } from "../processes/installed.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/**
 * Starts the browser that is here: `CHROMIUM_BIN`, the PATH, or the distribution's package, which root can install.
 * @throws with one sentence that says what to install.
 */
export async function openBrowser(): Promise<Browser> {
  const executablePath = chromiumBinary();
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

function chromiumBinary(): string {
  const named = process.env.CHROMIUM_BIN;
  if (named !== undefined && named !== "") return named;
  const found = installed() ?? fetched();
  if (found !== undefined) return found;
  throw new Error(
    "These tests need Chromium: none is on the PATH, and it can only be installed here as root with apt-get; install chromium, or name one in CHROMIUM_BIN.",
  );
}

const installed = () => onPath(...NAMES) ?? (existsSync(MAC) ? MAC : undefined);

const INSTALL =
  "command -v chromium || { apt-get -qq update; apt-get -qq install -y --no-install-recommends chromium; }";

function fetched(): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  spawnSync("flock", [join(tmpdir(), "chromium-install.lock"), "sh", "-c", INSTALL], { timeout: 240_000 });
  return installed();
}
