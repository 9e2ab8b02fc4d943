import type { Agent, AgentEnvironment } from "../wrap/agent.ts";
import { type DoctorCheck, type Diagnosis, ok, skipped, warning } from "./check.ts";

/** Which base URLs an agent would use as it is set up, and whether they lead to a guard. */
export function agentSettings(agent: Agent, surroundings: AgentEnvironment, guard: string): DoctorCheck {
  return {
    name: agent.title,
    async run() {
      const bases = [...basesOf(agent, surroundings)];
      if (bases.length === 0) return [skipped("It uses no known base URL.")];
      return bases.map((base) => judged(agent, base, guard));
    },
  };
}

function basesOf(agent: Agent, surroundings: AgentEnvironment): ReadonlySet<string> {
  const bases = new Set<string>();
  agent.wire(surroundings, (base) => {
    bases.add(base);
    return base;
  });
  return bases;
}

function judged({ name }: Agent, base: string, guard: string): Diagnosis {
  if (!URL.canParse(base))
    return warning(`It uses ${JSON.stringify(base)}, which is not a URL.`, "Correct its settings.");
  if (sameServer(new URL(base), new URL(guard))) return ok(`It uses ${base}, which is the guard.`);
  return warning(
    `It uses ${base}, which bypasses the guard.`,
    `Run \`unloop wrap ${name}\`, or set its base URL to the guard's.`,
  );
}

function sameServer(one: URL, other: URL): boolean {
  const host = ({ hostname }: URL) => (hostname === "localhost" ? "127.0.0.1" : hostname);
  return host(one) === host(other) && one.port === other.port;
}
