import { expect, it } from "vitest";
import { memoryStores, type Stores } from "../../src/index.ts";
import type { Script } from "../support/servers/upstream.ts";
import { presetRig } from "../presets/rig.ts";

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

/** A history in which one call is made again and again: the guard ends it by itself. */
const circling = (task: string) =>
  JSON.stringify({ model: "m", messages: [{ role: "user", content: task }, ...Array(12).fill(turns(1)).flat()] });

/** Tells how often something was kept. */
function counted() {
  const stores = memoryStores({ maxEntries: 30 });
  const written = { records: 0, spent: 0, journal: 0 };
  const { sessions, counters, journal } = stores;
  const noting =
    <Given extends readonly unknown[], Result>(run: (...given: Given) => Result, where: keyof typeof written) =>
    (...given: Given): Result => {
      written[where]++;
      return run(...given);
    };
  const noted: Stores = {
    ...stores,
    sessions: { ...sessions, write: noting(sessions.write, "records") },
    counters: { ...counters, add: noting(counters.add, "spent") },
    journal: { ...journal, append: noting(journal.append, "journal") },
  };
  return { stores: noted, written };
}

it("an answer of the guard's own to a run that is not known keeps no record: nobody has looked at the key", async () => {
  const { stores, written } = counted();
  const { url, ask, upstream } = presetRig(refusing, { extends: "default", budget: { steps: 30 } }, { stores });
  for (const session of ["", "named"]) {
    const { status, headers } = await ask(url, circling("go"), {
      authorization: "Bearer wrong-401",
      ...(session && { "x-unloop-session": session }),
    });
    expect([status, headers.get("x-unloop-verdict")]).toEqual([200, "short-circuit"]);
  }
  expect(upstream.requests).toEqual([]);
  expect(written).toMatchObject({ records: 0, spent: 0 });
});

it("what is told of strangers' runs pushes out nothing that is told of others", async () => {
  const stores = memoryStores({ journalCapacity: 120, maxEntries: 120 });
  const { url, ask } = presetRig(refusing, { extends: "default" }, { stores });
  const mine = { authorization: "Bearer mine", "x-unloop-session": "known" };
  await ask(url, bodyOf("go", 1), mine);
  expect((await ask(url, circling("go"), mine)).headers.get("x-unloop-verdict")).toBe("short-circuit");
  const strangers = 300;
  for (let i = 0; i < strangers; i++) {
    const { headers } = await ask(url, circling(`go ${i}`), { authorization: `Bearer wrong-${i}` });
    expect(headers.get("x-unloop-verdict")).toBe("short-circuit");
  }
  const told = (await stores.journal.page(1_000)).map(({ entry }) => JSON.parse(entry));
  expect(told.filter(({ session }) => session === "known").length).toBeGreaterThan(0);
  expect(told.length).toBeLessThanOrEqual(120);
  const listed = (await stores.directory.page(1_000)).entries;
  expect(listed.map(({ fields }) => fields.name)).toContain("known");
  expect(listed.length).toBeGreaterThan(1);
  expect(listed.length).toBeLessThan(strangers / 2);
});

it.each([
  { strangers: "that the upstream refuses", body: (i: number) => bodyOf(`go ${i}`, 2) },
  { strangers: "whose runs the guard ends", body: (i: number) => circling(`go ${i}`) },
])("a budget that is spent stays spent, however many strangers $strangers come", async ({ body }) => {
  const { stores } = counted();
  const { url, ask } = presetRig(refusing, { extends: "default", budget: { steps: 3 } }, { stores });
  const mine = { authorization: "Bearer mine", "x-unloop-session": "spent" };
  const last = JSON.stringify({ model: "m", messages: [{ role: "user", content: "go" }, ...turns(9).slice(-2)] });
  for (const steps of [1, 8]) await ask(url, bodyOf("go", steps), mine);
  const verdict = async () => (await ask(url, last, mine)).headers.get("x-unloop-detector");
  expect(await verdict()).toBe("budget");
  for (let i = 0; i < 60; i++) await ask(url, body(i), { authorization: `Bearer wrong-${i}` });
  expect(await verdict()).toBe("budget");
});
