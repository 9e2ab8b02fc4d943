import { join } from "node:path";
import { type Agent, ANTHROPIC, type AgentEnvironment } from "../agent.ts";
import { jsonObject, configObjectIn } from "../config-text.ts";

const VARIABLE = "ANTHROPIC_BASE_URL";

/** Claude Code. Variables in its settings files go before those of its environment, and `--settings` goes before all. */
export const claude: Agent = {
  name: "claude",
  title: "Claude Code",
  command: "claude",
  files: () => [],
  wire(surroundings, through) {
    const inSettings = settingsFiles(surroundings)
      .map((path) => configObjectIn(jsonObject(surroundings.read(path)).env)[VARIABLE])
      .find((url) => typeof url === "string");
    const url = through(inSettings ?? (surroundings.env[VARIABLE] || ANTHROPIC));
    const saysSettings = surroundings.args.some((arg) => arg === "--settings" || arg.startsWith("--settings="));
    const overrule = inSettings !== undefined && !saysSettings;
    const settings = JSON.stringify({ env: { [VARIABLE]: url } });
    return { environment: { [VARIABLE]: url }, args: overrule ? ["--settings", settings] : [], files: [] };
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
