import { join } from "node:path";
import {
  type Agent,
  type AgentEnvironment,
  ANTHROPIC,
  configObjectIn,
  copyThrough,
  jsonObject,
  OPENAI,
} from "../agent.ts";

/** The providers that can be given a base URL, with the one that they have without it. */
const USUAL: Readonly<Record<string, string>> = {
  openai: OPENAI,
  "openai-native": OPENAI,
  anthropic: ANTHROPIC,
};

const VARIABLE = "CLINE_PROVIDER_SETTINGS_PATH";

/** cline. Its provider file alone tells it a base URL; a variable says where that is. */
export const cline: Agent = {
  name: "cline",
  title: "cline",
  command: "cline",
  wire(surroundings, through) {
    const path = providerFile(surroundings);
    const { providers } = jsonObject(surroundings.read(path));
    const bases = Object.entries(configObjectIn(providers)).flatMap(([name, provider]) => {
      const { baseUrl } = configObjectIn(configObjectIn(provider).settings);
      const value = typeof baseUrl === "string" && baseUrl !== "" ? baseUrl : USUAL[name];
      return value === undefined ? [] : [{ at: ["providers", name, "settings", "baseUrl"], value }];
    });
    if (bases.length === 0) return { environment: {}, args: [], copies: [] };
    const copy = copyThrough(surroundings, path, "json", bases, through);
    return { environment: { [VARIABLE]: copy.at }, args: [], copies: [copy] };
  },
};

function providerFile({ env, home }: AgentEnvironment): string {
  const folder = env.CLINE_DATA_DIR || join(env.CLINE_DIR || join(home, ".cline"), "data");
  return env[VARIABLE] || join(folder, "settings", "providers.json");
}
