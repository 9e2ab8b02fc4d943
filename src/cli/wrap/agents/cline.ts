import { join } from "node:path";
import { type Agent, ANTHROPIC, OPENAI, type AgentEnvironment } from "../agent.ts";
import { jsonObject, configObjectIn } from "../config-text.ts";

/** The providers that can be given a base URL, with the one that they have without it. */
const USUAL: Readonly<Record<string, string>> = {
  openai: OPENAI,
  "openai-native": OPENAI,
  anthropic: ANTHROPIC,
};

/** cline. It is told a base URL by its provider file alone. */
export const cline: Agent = {
  name: "cline",
  title: "cline",
  command: "cline",
  files: (surroundings) => [providerFile(surroundings)],
  wire(surroundings, through) {
    const path = providerFile(surroundings);
    const { providers } = jsonObject(surroundings.read(path));
    const values = Object.entries(configObjectIn(providers)).flatMap(([name, provider]) => {
      const { baseUrl } = configObjectIn(configObjectIn(provider).settings);
      const url = typeof baseUrl === "string" && baseUrl !== "" ? baseUrl : USUAL[name];
      return url === undefined ? [] : [{ at: ["providers", name, "settings", "baseUrl"], value: through(url) }];
    });
    return { environment: {}, args: [], files: values.length === 0 ? [] : [{ path, format: "json", values }] };
  },
};

function providerFile({ env, home }: AgentEnvironment): string {
  const folder = env.CLINE_DATA_DIR || join(env.CLINE_DIR || join(home, ".cline"), "data");
  return join(folder, "settings", "providers.json");
}
