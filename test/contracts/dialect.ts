import { describe } from "vitest";
import type { DialectAgent } from "../support/agents/dialect-agent.ts";
import { dialectEndings } from "./dialect-endings.ts";
import { dialectReading } from "./dialect-reading.ts";
import { dialectRuns } from "./dialect-runs.ts";

/** What every dialect has to do, told once: the stories of the wire formats, as far as they are about agents. */
export function describeDialect(agent: DialectAgent, part: "reading" | "ending"): void {
  describe(`an agent that speaks ${agent.name}`, () => {
    if (part === "reading") dialectReading(agent);
    else {
      dialectRuns(agent);
      dialectEndings(agent);
    }
  });
}
