import { describe, expect, it } from "vitest";
import { looping } from "../support/agents/scripts.ts";
import { chatBody, user } from "../support/builders/chat-history.ts";
import { agent, verdictsOf } from "./agent.ts";
import { climb, type Given, guardRig, post } from "./guard-rig.ts";

describe("x-unloop-session", () => {
  it.each(["", "null", "undefined", "x".repeat(257), "[object Object]"])("is ignored when it is %j", async (value) => {
    const rig = await guardRig(looping("nothing"));
    const first = await agent({ ...rig, headers: { "x-unloop-session": value } }).turn();
    expect(first.headers.get("x-unloop-session-source")).toBe("derived");
  });

  it.each(["authorization", "x-api-key", "api-key"])("reaches only sessions of the same %s", async (name) => {
    const { url } = await guardRig(looping("nothing"));
    const history: object[] = [];
    const given: Given[] = [];
    for (let turn = 0; turn < 7; turn++) {
      // Only the task and the last two turns: the guard's memory alone would show the loop.
      const body = chatBody([user("What is the weather in Paris?"), ...history.slice(-4)] as never);
      given.push(await post(url, body, { "x-unloop-session": "run-1", [name]: `key-${turn}` }));
      const { message } = JSON.parse(given[turn]?.text ?? "").choices[0];
      history.push(message, { role: "tool", tool_call_id: message.tool_calls?.[0]?.id, content: "rain till noon" });
    }
    expect(verdictsOf(given)).toEqual(Array(7).fill("ok"));
  });
});

it("fifty requests of one thread at once all pass and count once", async () => {
  const rig = await guardRig(looping("nothing"));
  const headers = { "x-unloop-session": "run-1" };
  const run = agent({ ...rig, headers });
  await run.turns(3);
  const given = await Promise.all(Array.from({ length: 50 }, () => post(rig.url, run.body(), headers)));
  expect(new Set(verdictsOf(given))).toEqual(new Set(["nudge"]));
  expect(verdictsOf(await run.turns(4))).toEqual(climb.slice(3));
});
