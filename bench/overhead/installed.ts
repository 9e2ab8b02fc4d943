import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A program of this machine that can stand before the model, and its arguments. */
interface InstalledProxy {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** It does not start without a key, asks the network for prices, and its warnings get in the way of its own start. */
const LITELLM_ENV = {
  LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY: "true",
  LITELLM_LOCAL_MODEL_COST_MAP: "True",
  LITELLM_LOG: "ERROR",
};

/** LiteLLM's proxy with one worker and no database. Undefined where it is not installed. */
export function litellmBefore(upstreamPort: number, port: number): InstalledProxy | undefined {
  const command = onPath("litellm");
  if (command === undefined) return undefined;
  const file = join(mkdtempSync(join(tmpdir(), "unloop-bench-litellm-")), "config.yaml");
  const model = { model: "openai/gpt-4.1", api_base: `http://127.0.0.1:${upstreamPort}/v1`, api_key: "sk-bench" };
  // JSON is YAML, too.
  writeFileSync(file, JSON.stringify({ model_list: [{ model_name: "gpt-4.1", litellm_params: model }] }));
  const args = ["--config", file, "--host", "127.0.0.1", "--port", String(port), "--num_workers", "1"];
  return { command, args, env: LITELLM_ENV };
}

function onPath(name: string): string | undefined {
  try {
    return execFileSync("which", [name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    // It is not installed; the others are measured without it.
    return undefined;
  }
}
