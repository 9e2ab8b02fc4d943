import { join, resolve } from "node:path";
import {
  type Agent,
  type AgentEnvironment,
  ANTHROPIC,
  configObjectIn,
  copyThrough,
  jsonObject,
  ledThrough,
  optionsIn,
  VERTEX,
  withOption,
  withValue,
} from "../agent.ts";

/** Claude Code. Variables in its settings files go before those of its environment, and `--settings` goes before all. */
export const claude: Agent = {
  name: "claude",
  title: "Claude Code",
  command: "claude",
  wire(surroundings, through) {
    const said = saidSettings(surroundings);
    const texts = [said?.text, ...settingsFiles(surroundings).map(surroundings.read)];
    const settings = texts.map((text) => configObjectIn(jsonObject(text).env));
    const setIn = (name: string) => settings.map((env) => env[name]).find((value) => typeof value === "string");
    const isOnVertex = /^(1|true|yes|on)$/i.test(
      setIn("CLAUDE_CODE_USE_VERTEX") ?? surroundings.env.CLAUDE_CODE_USE_VERTEX ?? "",
    );
    const [name, usual] = isOnVertex
      ? ["ANTHROPIC_VERTEX_BASE_URL", `${VERTEX}/v1`]
      : ["ANTHROPIC_BASE_URL", ANTHROPIC];
    const inSettings = setIn(name);
    const url = ledThrough(through, inSettings ?? (surroundings.env[name] || usual));
    const environment = { [name]: url };
    // A file of theirs that is not there is the agent's to complain of.
    if (inSettings === undefined || (said !== undefined && said.text === undefined)) return { environment };
    if (said === undefined) return { environment, args: ["--settings", JSON.stringify({ env: environment })] };
    const at = ["env", name];
    const { option, path, text = "" } = said;
    const own = (value: string) => withOption(surroundings.args, option, value);
    if (path === undefined) return { environment, own: own(withValue(text, at, url)) };
    const copy = copyThrough(surroundings, path, [[at, inSettings]], (base) => ledThrough(through, base));
    return { environment, own: own(copy.at), copy };
  },
};

/** The user's own `--settings`: JSON, or a file of it. */
function saidSettings({ args, cwd, read }: AgentEnvironment) {
  const option = optionsIn(args, ["--settings"]).at(-1);
  if (option === undefined) return undefined;
  if (option.value.trimStart().startsWith("{")) return { option, path: undefined, text: option.value };
  const path = resolve(cwd, option.value);
  return { option, path, text: read(path) };
}

function settingsFiles({ cwd, env, home }: AgentEnvironment): readonly string[] {
  const own = env.CLAUDE_CONFIG_DIR || join(home, ".claude");
  return [
    join(cwd, ".claude", "settings.local.json"),
    join(cwd, ".claude", "settings.json"),
    join(own, "settings.json"),
  ];
}
