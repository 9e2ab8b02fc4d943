import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Wrangler's program, without npx around it. */
export const wrangler = join(root, "node_modules/wrangler/bin/wrangler.js");

/** Keeps wrangler from asking the network, and from telling it. */
export const offline = { CLOUDFLARE_CF_FETCH_ENABLED: "false", WRANGLER_SEND_METRICS: "false", CI: "1" };

/** What `wrangler.toml` asks of the platform (a test compares them), for those who start workerd without wrangler. */
export const platform = {
  compatibilityDate: "2026-04-01",
  compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
};

/** The text of the Worker as `wrangler deploy` would upload it, or of another entry by the same settings. */
export async function bundledWorker(entry = "src/worker.ts"): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "unloop-worker-"));
  const options = { cwd: root, env: { ...process.env, ...offline } };
  try {
    await promisify(execFile)(process.execPath, [wrangler, "deploy", entry, "--dry-run", "--outdir", folder], options);
    return await readFile(join(folder, basename(entry).replace(/ts$/, "js")), "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
