import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameworkClient } from "./clients.ts";

/** Packages of each environment, pinned: frameworks disagree about what they stand beside. */
const environments: Readonly<Record<string, string>> = {
  ai5: "ai@5.0.277 @ai-sdk/openai@2.0.131 zod@4.6.7",
  langchain: "langchain@1.5.14 @langchain/core@1.4.0 @langchain/openai@1.5.8 zod@4.6.7",
  llamaindex: "llamaindex@0.12.1 @llamaindex/openai@0.4.22 @llamaindex/workflow@1.1.24 zod@3.25.76",
  mastra: "@mastra/core@0.24.9 @ai-sdk/openai@2.0.131 zod@4.6.7",
  ax: "@ax-llm/ax@24.0.21",
  strands: "@strands-agents/sdk@1.16.0 openai@6.49.0 zod@4.6.7",
  genkit: "genkit@1.42.0 @genkit-ai/compat-oai@1.42.0",
  volt: "@voltagent/core@2.10.0 ai@6.0.326 @ai-sdk/openai@3.0.141 zod@4.6.7",
  agentkit: "@inngest/agent-kit@0.13.2 inngest@4.24.0 zod@4.6.7",
  xsai: "@xsai/generate-text@0.4.4 @xsai/tool@0.4.4 zod@4.6.7",
  tanstack: "@tanstack/ai@0.58.0 @tanstack/ai-openai@0.23.1 zod@4.6.7",
  pi: "@mariozechner/pi-agent-core@0.73.1 @mariozechner/pi-ai@0.73.1",
  deepagents: "deepagents@1.14.1 langchain@1.5.14 @langchain/core@1.4.0 @langchain/openai@1.5.8 zod@4.6.7",
};

const repository = join(import.meta.dirname, "../..");
const virtual = process.env.UNLOOP_PYTHON_ENVIRONMENTS ?? join(repository, ".python");
/** Out of the way of the repository's own packages. */
const root = process.env.UNLOOP_JAVASCRIPT_ENVIRONMENTS ?? join(repository, "node_modules/.cache/unloop-clients");

/** The command that runs a client, and its first argument; undefined where its environment cannot be had. */
export function commandFor({ language, environment }: FrameworkClient): readonly [string, string] | undefined {
  if (language === "javascript") {
    const script = clientScript(environment);
    return script === undefined ? undefined : [process.execPath, script];
  }
  const python = join(virtual, environment, "bin", "python");
  const hasBrowser = environment !== "browser" || process.env.UNLOOP_CHROMIUM !== undefined;
  return existsSync(python) && hasBrowser ? [python, join(import.meta.dirname, "run_client.py")] : undefined;
}

/** The script in an environment that is installed once from npm. */
function clientScript(environment: string): string | undefined {
  const folder = join(root, environment);
  const script = join(folder, "run-client.mjs");
  const packages = (environments[environment] ?? "").split(" ");
  try {
    if (!existsSync(join(folder, "installed"))) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
      const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", ...packages];
      execFileSync("npm", args, { cwd: folder, stdio: "ignore", timeout: 300_000 });
      writeFileSync(join(folder, "installed"), "");
    }
    copyFileSync(join(import.meta.dirname, "run-client.mjs"), script);
    return script;
  } catch (error) {
    console.error(`${environment} cannot be installed here: ${String(error)}`);
    return undefined;
  }
}
