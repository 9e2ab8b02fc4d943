import { join } from "node:path";
import {
  type Agent,
  type AgentEnvironment,
  ANTHROPIC,
  type ConfigValue,
  envFiles,
  OPENAI,
  type Through,
  valueIn,
} from "../agent.ts";
import { configObjectIn, jsonObject } from "../config-text.ts";
import { optionsIn, withOption } from "../options.ts";

/**
 * Qwen Code. A model's own base URL in `modelProviders` goes before its argument, the argument before variables, these before its `.env`
 * files and its settings, of which some versions prefer one and some the other.
 */
export const qwen: Agent = {
  name: "qwen",
  title: "Qwen Code",
  command: "qwen",
  files: settingsFiles,
  wire(surroundings, through) {
    const { args, read } = surroundings;
    const set = settingIn(surroundings);
    const isAnthropic = set.auth.selectedType === "anthropic";
    const said = optionsIn(args, ["--openai-base-url", "--openaiBaseUrl"]).at(-1);
    const own = typeof set.auth.baseUrl === "string" ? set.auth.baseUrl : undefined;
    const openai = through(set.variable("OPENAI_BASE_URL") ?? (isAnthropic ? undefined : own) ?? OPENAI);
    const anthropic = through(set.variable("ANTHROPIC_BASE_URL") ?? (isAnthropic ? own : undefined) ?? ANTHROPIC);
    const files = settingsFiles(surroundings).map((path) => {
      const values = modelUrls(jsonObject(read(path)), through);
      return { path, format: "json" as const, values };
    });
    return {
      environment: { OPENAI_BASE_URL: openai, OPENAI_API_BASE: openai, ANTHROPIC_BASE_URL: anthropic },
      // It is that of any API, whatever its name says.
      args: said === undefined ? ["--openai-base-url", isAnthropic ? anthropic : openai] : [],
      ...(said !== undefined && { own: withOption(args, said, through(said.value)) }),
      files: files.filter(({ values }) => values.length > 0),
    };
  },
};

/** The project's goes before the user's. */
function settingsFiles({ cwd, env, home }: AgentEnvironment): readonly string[] {
  const folders = [join(cwd, ".qwen"), env.QWEN_HOME || join(home, ".qwen")];
  return [...new Set(folders)].map((folder) => join(folder, "settings.json"));
}

function settingIn(surroundings: AgentEnvironment) {
  const settings = settingsFiles(surroundings).map((path) => jsonObject(surroundings.read(path)));
  const auths = settings.map(({ security }) => configObjectIn(configObjectIn(security).auth));
  const texts = envFiles(surroundings, ".qwen");
  return {
    auth: Object.assign({}, ...auths.toReversed()) as Readonly<Record<string, unknown>>,
    variable(name: string): string | undefined {
      const inFiles = texts.map((text) => valueIn(text, name));
      const inSettings = settings.map(({ env }) => configObjectIn(env)[name]);
      const values = [surroundings.env[name], ...inFiles, ...inSettings];
      return values.find((value) => typeof value === "string" && value !== "") as string | undefined;
    },
  };
}

/** Of each model that has one, and of the model in use, which is found by it. */
function modelUrls({ modelProviders, model }: Readonly<Record<string, unknown>>, through: Through): ConfigValue[] {
  const places = Object.entries(configObjectIn(modelProviders)).flatMap(([provider, models]) =>
    (Array.isArray(models) ? models : []).map((one, index) => ({
      at: ["modelProviders", provider, index, "baseUrl"],
      value: configObjectIn(one).baseUrl,
    })),
  );
  const inUse = { at: ["model", "baseUrl"], value: configObjectIn(model).baseUrl };
  return [...places, inUse].flatMap(({ at, value }) =>
    typeof value === "string" ? [{ at, value: through(value) }] : [],
  );
}
