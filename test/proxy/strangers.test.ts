import { expect, it } from "vitest";
import { memoryStores, policyFrom, type Stores } from "../../src/index.ts";
import type { Script } from "../support/upstream.ts";
import { guardRig, post } from "./guard-rig.ts";

/* Whoever has no valid key: the upstream says so, and nothing of the exchange stays. */

const refusing: Script = ({ fields }) =>
  String(fields.authorization).includes("wrong")
    ? { kind: "error", status: fields.authorization?.endsWith("3") ? 403 : 401, message: "no such key" }
    : { kind: "text", text: "Done." };

const turns = (count: number) =>
  Array.from({ length: count }, (_, i) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: `call_7e3f91ab5c2d_${i}`, type: "function", function: { name: "read", arguments: `{"path":"${i}"}` } },
      ],
    },
    { role: "tool", tool_call_id: `call_7e3f91ab5c2d_${i}`, content: `text ${i}` },
  ]).flat();

const bodyOf = (task: string, count: number) =>
  JSON.stringify({ model: "m", messages: [{ role: "user", content: task }, ...turns(count)] });

/** Tells how often something was kept. */
function counted(): { readonly stores: Stores; readonly written: () => number } {
  const stores = memoryStores({ maxEntries: 30 });
  let written = 0;
  const { sessions, counters, journal } = stores;
  const noting =
    <Given extends readonly unknown[], Result>(run: (...given: Given) => Result) =>
    (...given: Given): Result => {
      written++;
      return run(...given);
    };
  return {
    stores: {
      ...stores,
      sessions: { ...sessions, write: noting(sessions.write) },
      counters: { ...counters, add: noting(counters.add) },
      journal: { ...journal, append: noting(journal.append) },
    },
    written: () => written,
  };
}

it.each(["Bearer wrong-401", "Bearer wrong-403"])(
  "nothing is kept of an exchange with the key %s",
  async (authorization) => {
    const { stores, written } = counted();
    const { url } = await guardRig(refusing, {
      stores,
      policy: policyFrom({ extends: "default", budget: { steps: 3 } }),
    });
    for (let count = 0; count < 2; count++)
      expect((await post(url, bodyOf("go", count), { authorization })).headers.get("x-unloop-verdict")).not.toBeNull();
    expect(written()).toBe(0);
  },
);

it("a budget that is spent stays spent, however many strangers come", async () => {
  const { stores } = counted();
  const { url } = await guardRig(refusing, {
    stores,
    policy: policyFrom({ extends: "default", budget: { steps: 3 } }),
  });
  const mine = { authorization: "Bearer mine", "x-unloop-session": "spent" };
  const last = JSON.stringify({ model: "m", messages: [{ role: "user", content: "go" }, ...turns(9).slice(-2)] });
  await post(url, bodyOf("go", 8), mine);
  const verdict = async () => (await post(url, last, mine)).headers.get("x-unloop-detector");
  expect(await verdict()).toBe("budget");
  for (let i = 0; i < 200; i++) await post(url, bodyOf(`go ${i}`, 2), { authorization: `Bearer wrong-${i}` });
  expect(await verdict()).toBe("budget");
});
