import { expect, it } from "vitest";
import { memoryStores, policyFrom } from "../../src/index.ts";
import { guardRig, post } from "./guard-rig.ts";
import { called, chatBody, repeated, user } from "../support/builders/chat-history.ts";
import { storesVia } from "../support/builders/stores.ts";
import type { Script } from "../support/servers/upstream.ts";

/* Whoever has no valid key: the upstream says so, and nothing of the exchange stays. */

const refusing: Script = ({ fields: { authorization = "" } }) =>
  authorization.includes("wrong")
    ? { kind: "error", status: authorization.endsWith("3") ? 403 : 401, message: "no such key" }
    : { kind: "text", text: "Done." };

const turn = (i: number) => called(`call_7e3f91ab5c2d_${i}`, "read", { path: `${i}` }, `text ${i}`);
const bodyOf = (task: string, count: number) => chatBody([user(task), ...repeated(count, turn)]);
const circling = (task: string) => chatBody([user(task), ...repeated(12, () => turn(0))]);
const mine = (session: string) => ({ authorization: "Bearer mine", "x-unloop-session": session });
const wrong = (i: number | string) => ({ authorization: `Bearer wrong-${i}` });

it("an answer of the guard's own to a run that is not known keeps no record: nobody has looked at the key", async () => {
  const written: string[] = [];
  const stores = storesVia((own, command) => {
    if (/^(sessions\.write|counters\.add)$/.test(command)) written.push(command);
    return own();
  });
  const { url, upstream } = await guardRig(refusing, { policy: policyFrom({ budget: { steps: 30 } }), stores });
  for (const named of [{}, { "x-unloop-session": "named" }]) {
    const { status, headers } = await post(url, circling("go"), { ...wrong(401), ...named });
    expect([status, headers.get("x-unloop-verdict")]).toEqual([200, "short-circuit"]);
  }
  expect([upstream.requests, written]).toEqual([[], []]);
});

it("what is told of strangers' runs pushes out nothing that is told of others", async () => {
  const stores = memoryStores({ journalCapacity: 120, maxEntries: 120 });
  const { url } = await guardRig(refusing, { policy: "default", stores });
  await post(url, bodyOf("go", 1), mine("known"));
  expect((await post(url, circling("go"), mine("known"))).headers.get("x-unloop-verdict")).toBe("short-circuit");
  const strangers = 300;
  for (let i = 0; i < strangers; i++) {
    const { headers } = await post(url, circling(`go ${i}`), wrong(i));
    expect(headers.get("x-unloop-verdict")).toBe("short-circuit");
  }
  const told = (await stores.journal.page(1_000)).map(({ entry }) => JSON.parse(entry));
  expect(told.filter(({ session }) => session === "known").length).toBeGreaterThan(0);
  expect(told.length).toBeLessThanOrEqual(120);
  const listed = await stores.directory.page(1_000);
  expect(listed.map(({ fields }) => fields.name)).toContain("known");
  expect(listed.length).toBeGreaterThan(1);
  expect(listed.length).toBeLessThan(strangers / 2);
});

it.each([
  { strangers: "that the upstream refuses", body: (i: number) => bodyOf(`go ${i}`, 2) },
  { strangers: "whose runs the guard ends", body: (i: number) => circling(`go ${i}`) },
])("a budget that is spent stays spent, however many strangers $strangers come", async ({ body }) => {
  const stores = memoryStores({ maxEntries: 20 });
  const { url } = await guardRig(refusing, { policy: policyFrom({ budget: { steps: 3 } }), stores });
  for (const steps of [1, 8]) await post(url, bodyOf("go", steps), mine("spent"));
  const last = chatBody([user("go"), ...turn(8)]);
  const detector = async () => (await post(url, last, mine("spent"))).headers.get("x-unloop-detector");
  expect(await detector()).toBe("budget");
  for (let i = 0; i < 40; i++) await post(url, body(i), wrong(i));
  expect(await detector()).toBe("budget");
});
