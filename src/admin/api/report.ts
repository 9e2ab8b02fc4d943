import { actName, drawLane, laneLine, stateName } from "../../page/page.ts";
import type { ApiCall } from "./context.ts";
import { readSession } from "./sessions.ts";

/** A session as a page in Markdown, for a ticket. */
export async function reportSession(call: ApiCall): Promise<string> {
  const session = await readSession(call);
  const { name, tenant, agent, model, policy, mode, firstSeenAt, lastSeenAt, requests, steps, tokens, loopTokens } =
    session;
  const facts: readonly (readonly [string, string | number])[] = [
    ["Session", name],
    ["Tenant", tenant],
    ["Agent", agent || "unknown"],
    ["Model", model || "unknown"],
    ["Policy", `${policy} (${mode})`],
    ["From", firstSeenAt],
    ["To", lastSeenAt],
    ["Requests", requests],
    ["Steps", steps],
    ["State", `${stateName(session)}${session.why === "" ? "" : `: ${session.why}`}`],
    ["Tokens", `${tokens.input} in, ${tokens.output} out, ${loopTokens} of them inside loops`],
    [
      "Containment",
      session.containment === null ? "none" : `by ${session.containment.actor}: ${session.containment.reason}`,
    ],
  ];
  const lanes = session.lineages.map(({ window, findings }) => laneLine(drawLane(window, findings)));
  const findings = session.lineages.flatMap(({ id, findings: items }) =>
    items.map(({ step, rung, detector, count, note }) =>
      row([id.slice(0, 8), step, actName(rung, mode), detector, count, note]),
    ),
  );
  return [
    "# Unloop: what happened in a session",
    "",
    row(["what", "value"]),
    row(["---", "---"]),
    ...facts.map(row),
    "",
    "## Steps",
    "",
    ...lanes.map((lane) => `    ${lane}`),
    "",
    "## Findings",
    "",
    ...(findings.length === 0
      ? ["None."]
      : [row(["thread", "step", "rung", "detector", "count", "observation"]), row(Array(6).fill("---")), ...findings]),
    "",
  ].join("\n");
}

/** Names come from clients: nothing of them may become a cell, a link or markup of its own. */
function row(cells: readonly (string | number)[]): string {
  return `| ${cells
    .map((cell) =>
      String(cell)
        .replace(/[\\`*_{}[\]<>()#!|~]/g, "\\$&")
        .replace(/[\r\n]+/g, " "),
    )
    .join(" | ")} |`;
}
