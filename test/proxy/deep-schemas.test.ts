import { expect, it } from "vitest";
import { policyFrom } from "../../src/index.ts";
import { guardRig, post } from "./guard-rig.ts";
import { looping } from "../support/agents/scripts.ts";

const DEPTH = 20_000;
const deep = `${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`;
const turn = (i: number) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `c${i}`, type: "function", function: { name: "look", arguments: `{"page":${i}}` } }],
  },
  { role: "tool", tool_call_id: `c${i}`, content: `page ${i} ${"word ".repeat(800)}` },
];

it("a schema that cannot be written again hides no run from its budget, and fails nothing", async () => {
  const { url, logged } = await guardRig(looping("nothing"), {
    policy: policyFrom({ extends: "default", budget: { tokens: 8_000 } }),
  });
  const verdicts: (string | null)[] = [];
  for (let count = 0; count < 8; count++) {
    const messages = [{ role: "user", content: "go" }, ...Array.from({ length: count }, (_, i) => turn(i)).flat()];
    const body = JSON.stringify({
      model: "m",
      messages,
      tools: [{ type: "function", function: { name: "look", parameters: 0 } }],
    });
    const { headers } = await post(url, body.replace('"parameters":0', `"parameters":${deep}`), {
      "x-unloop-session": "s",
    });
    verdicts.push(headers.get("x-unloop-verdict"));
  }
  expect(verdicts.slice(0, 2)).toEqual(["ok", "ok"]);
  expect(verdicts.at(-1)).not.toBe("ok");
  expect(logged.filter(({ event }) => event === "guard-failed")).toEqual([]);
});
