import { join } from "node:path";
import { type Agent, ANTHROPIC, type AgentEnvironment, ledThrough, VERTEX } from "../agent.ts";
import { jsonObject, configObjectIn } from "../config-text.ts";

/** Claude Code. Variables in its settings files go before those of its environment, and `--settings` goes before all. */
export const claude: Agent = {
  name: "claude",
  title: "Claude Code",
  command: "claude",
  files: () => [],
  wire(surroundings, through) {
    const settings = settingsFiles(surroundings).map((path) => configObjectIn(jsonObject(surroundings.read(path)).env));
    const setIn = (name: string) => settings.map((env) => env[name]).find((value) => typeof value === "string");
    const isOnVertex = /^(1|true|yes|on)$/i.test(
      setIn("CLAUDE_CODE_USE_VERTEX") ?? surroundings.env.CLAUDE_CODE_USE_VERTEX ?? "",
    );
    const [name, usual] = isOnVertex
      ? ["ANTHROPIC_VERTEX_BASE_URL", `${VERTEX}/v1`]
      : ["ANTHROPIC_BASE_URL", ANTHROPIC];
    const inSettings = setIn(name);
    const url = ledThrough(through, inSettings ?? (surroundings.env[name] || usual));
    const saysSettings = surroundings.args.some((arg) => arg === "--settings" || arg.startsWith("--settings="));
    const overrule = inSettings !== undefined && !saysSettings;
    const own = JSON.stringify({ env: { [name]: url } });
    return { environment: { [name]: url }, args: overrule ? ["--settings", own] : [], files: [] };
  },
};

/** The most specific first. */
function settingsFiles({ cwd, env, home }: AgentEnvironment): readonly string[] {
  const own = env.CLAUDE_CONFIG_DIR || join(home, ".claude");
  return [
    join(cwd, ".claude", "settings.local.json"),
    join(cwd, ".claude", "settings.json"),
    join(own, "settings.json"),
  ];
}
