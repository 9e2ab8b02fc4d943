import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { freePort } from "../../support/servers/http.ts";

export const environment = join(process.env.UNLOOP_PYTHON_ENVIRONMENTS ?? resolve(".python"), "package", "bin");

export interface Program {
  readonly url: string;
  end(): Promise<void>;
}

export async function frameworks(backend: string): Promise<Program> {
  const script = join(import.meta.dirname, "front.py");
  const child = spawn(join(environment, "python"), [script, backend], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const url of createInterface(child.stdout)) return { url, end: () => ended(child) };
  throw new Error("The frameworks did not start.");
}

const SECONDS = 120;

/** LiteLLM's proxy, with the guardrail as its configuration names it. */
export async function litellmProxy(backend: string): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), "unloop-litellm-"));
  writeFileSync(join(folder, "unloop_guardrail.py"), "from unloop.litellm import UnloopGuardrail\n");
  writeFileSync(join(folder, "config.yaml"), configuration(backend));
  const port = await freePort();
  const args = ["--config", join(folder, "config.yaml"), "--host", "127.0.0.1", "--port", String(port)];
  const env = { ...process.env, LITELLM_LOCAL_MODEL_COST_MAP: "True", LITELLM_TELEMETRY: "False" };
  const child = spawn(join(environment, "litellm"), args, { env, stdio: "ignore" });
  const end = async () => {
    await ended(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  for (let second = 0; second < SECONDS && child.exitCode === null; second += 1) {
    const answer = await fetch(`${url}/health/liveliness`).catch(() => undefined);
    if (answer?.status === 200) return { url, end };
    await setTimeout(1_000);
  }
  await end();
  throw new Error("LiteLLM's proxy did not start.");
}

function configuration(backend: string): string {
  return `
model_list:
  - model_name: "claude-*"
    litellm_params: { model: "anthropic/claude-*", api_base: "${backend}", api_key: sk-test }
  - model_name: "*"
    litellm_params: { model: "openai/*", api_base: "${backend}/v1", api_key: sk-test }
litellm_settings: { num_retries: 0 }
guardrails:
  - guardrail_name: unloop
    litellm_params:
      guardrail: unloop_guardrail.UnloopGuardrail
      mode: [pre_call, post_call]
      default_on: true
      api_base: "${backend}"
`;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill();
  await once(child, "exit");
}
