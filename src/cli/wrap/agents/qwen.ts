import { join } from "node:path";
import {
  type Agent,
  type AgentEnvironment,
  ANTHROPIC,
  configObjectIn,
  envFiles,
  type FileCopy,
  jsonObject,
  OPENAI,
  optionsIn,
  type Through,
  valueIn,
  withOption,
} from "../agent.ts";

/** Qwen Code. `modelProviders` goes before its argument, that before variables, these before `.env` files and settings, in either order. */
export const qwen: Agent = {
  name: "qwen",
  title: "Qwen Code",
  command: "qwen",
  wire(surroundings, through) {
    const { args } = surroundings;
    const set = settingIn(surroundings);
    const isAnthropic = set.auth.selectedType === "anthropic";
    const said = optionsIn(args, ["--openai-base-url", "--openaiBaseUrl"]).at(-1);
    const own = typeof set.auth.baseUrl === "string" ? set.auth.baseUrl : undefined;
    const openai = through(set.variable("OPENAI_BASE_URL") ?? (isAnthropic ? undefined : own) ?? OPENAI);
    const anthropic = through(set.variable("ANTHROPIC_BASE_URL") ?? (isAnthropic ? own : undefined) ?? ANTHROPIC);
    const copy = systemSettings(surroundings, through);
    return {
      environment: {
        OPENAI_BASE_URL: openai,
        OPENAI_API_BASE: openai,
        ANTHROPIC_BASE_URL: anthropic,
        ...(copy && { [SYSTEM]: copy.at }),
      },
      // It is that of any API, whatever its name says.
      ...(said === undefined
        ? { args: ["--openai-base-url", isAnthropic ? anthropic : openai] }
        : { own: withOption(args, said, through(said.value)) }),
      copy,
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

const SYSTEM = "QWEN_CODE_SYSTEM_SETTINGS_PATH";

/** A system's settings go before the user's and the project's: these have the models' own base URLs, through the guard. */
function systemSettings(surroundings: AgentEnvironment, through: Through): FileCopy | undefined {
  const { env, read, scratch } = surroundings;
  const settings = settingsFiles(surroundings).map((path) => jsonObject(read(path)));
  const [providers, model] = ["modelProviders", "model"].map((name) =>
    Object.assign({}, ...settings.toReversed().map((one) => configObjectIn(one[name]))),
  );
  const led = (one: unknown) => {
    const { baseUrl, ...others } = configObjectIn(one);
    return typeof baseUrl === "string" ? { ...others, baseUrl: through(baseUrl) } : one;
  };
  const modelProviders = Object.entries(providers ?? {}).map(([name, models]) => [
    name,
    Array.isArray(models) ? models.map(led) : models,
  ]);
  const own = { modelProviders: Object.fromEntries(modelProviders), model: configObjectIn(led(model)) };
  if (!JSON.stringify(own).includes('"baseUrl"')) return undefined;
  const system = jsonObject(read(env[SYSTEM] || "/etc/qwen-code/settings.json"));
  const text = JSON.stringify({ ...system, ...own, model: { ...configObjectIn(system.model), ...own.model } });
  return { at: join(scratch, "settings.json"), text };
}
