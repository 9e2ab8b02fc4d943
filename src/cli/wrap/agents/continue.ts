import { join, resolve } from "node:path";
import { parse } from "yaml";
import {
  type Agent,
  ANTHROPIC,
  configObjectIn,
  copyThrough,
  OPENAI,
  optionsIn,
  parsedConfig,
  withOption,
} from "../agent.ts";

/** The providers that can be given a base URL, with the one that they have without it. */
const USUAL: Readonly<Record<string, string>> = { openai: OPENAI, anthropic: `${ANTHROPIC}/v1` };

/** Continue's command line. Each model of its configuration file tells it a base URL; an argument says where that is. */
export const continueCli: Agent = {
  name: "continue",
  title: "Continue",
  command: "cn",
  wire(surroundings, through) {
    const { args, cwd, env, home, read } = surroundings;
    const said = optionsIn(args, ["--config"]).at(-1);
    const path = said
      ? resolve(cwd, said.value)
      : join(env.CONTINUE_GLOBAL_DIR || join(home, ".continue"), "config.yaml");
    const { models } = parsedConfig(read(path), parse);
    const bases = (Array.isArray(models) ? models : []).flatMap((model, index) => {
      const { apiBase, provider } = configObjectIn(model);
      const value = typeof apiBase === "string" && apiBase !== "" ? apiBase : USUAL[String(provider)];
      return value === undefined ? [] : [{ at: ["models", index, "apiBase"], value }];
    });
    if (bases.length === 0) return { environment: {}, args: [], copies: [] };
    const copy = copyThrough(surroundings, path, "yaml", bases, through);
    if (said === undefined) return { environment: {}, args: ["--config", copy.at], copies: [copy] };
    return { environment: {}, args: [], own: withOption(args, said, copy.at), copies: [copy] };
  },
};
