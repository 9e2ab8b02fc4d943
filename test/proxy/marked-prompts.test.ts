import { expect, it } from "vitest";
import { policyFrom } from "../../src/index.ts";
import { type DialectAgent, runDialect } from "../support/agents/dialect-agent.ts";
import { ANSWER, healthy, looping } from "../support/agents/dialect-scripts.ts";
import { guardRig } from "./guard-rig.ts";

const player: DialectAgent = {
  name: "a player",
  messages(task, steps) {
    const moves = steps.map(({ query, outcome }, at) => `Move ${at + 1}\nPlayed find(${query})\nEffect: ${outcome}\n`);
    const board = "<board>\n. . x\n</board>\nYour command?";
    const content = `<mission>\n${task}\n</mission>\n## Moves so far\n${moves.join("")}\n${board}`;
    return [
      { role: "system", content: "You play. Say one command, or QUIT and why." },
      { role: "user", content },
    ];
  },
  call: (query) => ({ kind: "text", text: `FIND ${query}` }),
  final: (answer) => ({ kind: "text", text: `QUIT ${answer}` }),
  understand({ content = "" }) {
    const query = /^FIND (.*)/.exec(content ?? "")?.[1];
    return query === undefined ? { answer: (content ?? "").replace("QUIT ", "") } : { query };
  },
};

it("a prompt of an agent that is unknown is read by the marks that a policy names", async () => {
  const marks = { history: "Moves so far", task: "mission", state: "board" };
  const steps = { step: "Move", action: "Played", result: "Effect:" };
  const policy = policyFrom({ extends: "default", prompts: [{ ...marks, ...steps }] });
  const well = await runDialect(await guardRig(healthy(player), { policy }), player);
  expect(well).toMatchObject({ verdicts: Array(9).fill("ok"), answer: ANSWER });
  expect(well.steps).toEqual(Array.from({ length: 9 }, (_, step) => String(step)));
  const rig = await guardRig(looping(player, false), { policy });
  const ill = await runDialect(rig, player);
  expect(ill.verdicts.join(" ")).toMatch(/nudge .*short-circuit$/);
  expect(ill.verdicts.length).toBeLessThanOrEqual(8);
  expect(ill.answer).toMatch(/^This run was stopped/);
  const noted = rig.upstream.requests.find(({ bytes }) => String(bytes).includes("[unloop]"));
  expect(String(noted?.bytes)).toMatch(/Your command\?[\s\S]*\[unloop\]/);
});
