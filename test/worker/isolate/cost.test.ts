import { expect, it } from "vitest";
import { durableObjectStores } from "../../../src/store/durable-object/durable-object.ts";
import { guardRig, post } from "../../proxy/guard-rig.ts";
import { countedObjects } from "../seams/counted-objects.ts";

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0);

/** As APIs make them: at random. */
const ids = Array.from({ length: 1_000 }, () => `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`);

/** A healthy run: each turn reads another page. */
function historyOf(session: number, turns: number): string {
  const steps = Array.from({ length: turns }, (_, i) => {
    const id = ids[session * 10 + i];
    const call = { id, type: "function", function: { name: "read", arguments: `{"page":${i}}` } };
    return [
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: id, content: `The words of page ${i} of book ${session}.` },
    ];
  });
  const opening = { role: "user", content: `Read book ${session}.` };
  return JSON.stringify({ model: "m", messages: [opening, ...steps.flat()] });
}

/** In the mean of an exchange. After its first two answers the next request may show the last call alone. A run without a name is found again by an alias of each step, in an object of its own. */
const limits = [
  { of: "a run that its client names", header: true, sessions: 20, requests: 2.2, rows: 2 },
  { of: "a run that nobody names", header: false, sessions: 6, requests: 4, rows: 5 },
];

it("an exchange costs no more requests to objects and rows than it is allowed", async () => {
  // At once: what is gathered is waited for.
  const costs = await Promise.all(limits.map(costOf));
  for (const [i, { of, requests, rows }] of limits.entries()) {
    expect(costs[i]?.requests, of).toBeLessThanOrEqual(requests);
    expect(costs[i]?.rows, of).toBeLessThanOrEqual(rows);
  }
});

async function costOf({ header, sessions }: (typeof limits)[number]) {
  const { objects, counts } = countedObjects();
  const stores = durableObjectStores(objects, { name: crypto.randomUUID() });
  const works: Promise<void>[] = [];
  let calls = 0;
  const script = () => {
    calls += 1;
    return { kind: "calls", calls: [{ tool: "read", args: `{"page":${calls}}` }] } as const;
  };
  const { url, logged } = await guardRig(script, {
    stores,
    storeDeadlineMs: 20_000,
    // Longer than a busy machine takes for the run: what is written later is another request.
    gatherMs: 6_000,
    outlive: (work) => void works.push(work),
  });
  const turns = 6;
  for (let turn = 0; turn < turns; turn += 1) {
    const asked = Array.from({ length: sessions }, (_, i) =>
      post(url, historyOf(i, turn), header ? { "x-unloop-session": `book-${i}` } : {}),
    );
    for (const { headers } of await Promise.all(asked)) expect(headers.get("x-unloop-verdict")).toBe("ok");
  }
  const exchanges = sessions * turns;
  await expect.poll(() => logged.filter(({ event }) => event === "recorded").length).toBe(exchanges);
  await Promise.all(works);
  expect((await stores.directory.page(100)).entries.length).toBeGreaterThanOrEqual(sessions);
  return { requests: sum(counts.requests) / exchanges, rows: counts.rows / exchanges };
}
