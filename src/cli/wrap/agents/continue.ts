import { join } from "node:path";
import { parse } from "yaml";
import { type Agent, ANTHROPIC, OPENAI, type AgentEnvironment } from "../agent.ts";
import { configObjectIn, parsedConfig } from "../config-text.ts";

/** The providers that can be given a base URL, with the one that they have without it. */
const USUAL: Readonly<Record<string, string>> = { openai: OPENAI, anthropic: `${ANTHROPIC}/v1` };

/** Continue's command line. It is told a base URL by each model of its configuration file. */
export const continueCli: Agent = {
  name: "continue",
  title: "Continue",
  command: "cn",
  files: (surroundings) => [configFile(surroundings)],
  wire(surroundings, through) {
    const path = configFile(surroundings);
    const { models } = parsedConfig(surroundings.read(path), parse);
    const values = (Array.isArray(models) ? models : []).flatMap((model, index) => {
      const { apiBase, provider } = configObjectIn(model);
      const url = typeof apiBase === "string" && apiBase !== "" ? apiBase : USUAL[String(provider)];
      return url === undefined ? [] : [{ at: ["models", index, "apiBase"], value: through(url) }];
    });
    return { environment: {}, args: [], files: values.length === 0 ? [] : [{ path, format: "yaml", values }] };
  },
};

/** The one that the user names, else the one in the home folder. */
function configFile({ args, env, home }: AgentEnvironment): string {
  const at = args.indexOf("--config");
  const named = at === -1 ? undefined : args[at + 1];
  return named ?? join(env.CONTINUE_GLOBAL_DIR || join(home, ".continue"), "config.yaml");
}
