import { runInDurableObject } from "cloudflare:test";
import type { DurableObjectState } from "@cloudflare/workers-types";
import { expect, it } from "vitest";
import { durableObjectStores } from "../../../src/store/durable-object/durable-object.ts";
import { guardRig, post } from "../../proxy/guard-rig.ts";
import { called, chatBody, repeated, user } from "../../support/builders/chat-history.ts";
import { objectsThrough, ownObjects } from "../seams/bindings.ts";

function countedObjects() {
  const counts = { requests: 0, rows: 0 };
  const seen = new Set<string>();
  const objects = objectsThrough(async (own, binding, _, name) => {
    counts.requests += 1;
    const stub = ownObjects[binding].getByName(name);
    if (!seen.has(`${binding} ${name}`)) await runInDurableObject(stub as never, async (_, state) => countRows(state));
    seen.add(`${binding} ${name}`);
    return own();
  });
  const countRows = ({ storage }: DurableObjectState) => {
    const { kv, sql } = storage;
    const [put, exec, setAlarm] = [kv.put.bind(kv), sql.exec.bind(sql), storage.setAlarm.bind(storage)];
    kv.put = (...args: Parameters<typeof put>) => {
      counts.rows += 1;
      put(...args);
    };
    storage.setAlarm = (...args) => {
      counts.rows += 1;
      return setAlarm(...args);
    };
    sql.exec = ((...args: Parameters<typeof exec>) => {
      const cursor = exec(...args);
      counts.rows += cursor.rowsWritten;
      return cursor;
    }) as typeof sql.exec;
  };
  return { objects, counts };
}

/** As APIs make them: at random. */
const ids = Array.from({ length: 1_000 }, () => `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`);

const historyOf = (book: number, turns: number) =>
  chatBody([
    user(`Read book ${book}.`),
    ...repeated(turns, (i) =>
      called(ids[book * 10 + i] ?? "", "read", { page: i }, `The words of page ${i} of book ${book}.`),
    ),
  ]);

/** In the mean of an exchange. After its first two answers the next request may show the last call alone. A run without a name is found again by an alias of each step, in an object of its own. */
const limits = [
  { of: "a run that its client names", header: true, sessions: 20, requests: 2.2, rows: 2 },
  { of: "a run that nobody names", header: false, sessions: 6, requests: 4, rows: 5 },
];

// At once: what is gathered is waited for.
it.concurrent.each(limits)(
  "an exchange of $of costs no more requests to objects and rows than it is allowed",
  async (limit) => {
    const { header, sessions } = limit;
    const { objects, counts } = countedObjects();
    const stores = durableObjectStores(objects, { name: crypto.randomUUID() });
    const works: Promise<void>[] = [];
    const { url, logged } = await guardRig(
      (_, index) => ({ kind: "calls", calls: [{ tool: "read", args: `{"page":${index + 1}}` }] }),
      {
        stores,
        storeDeadlineMs: 20_000,
        // Longer than a busy machine takes for the run: what is written later is another request.
        gatherMs: 6_000,
        outlive: (work) => void works.push(work),
      },
    );
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
    expect((await stores.directory.page(100)).length).toBeGreaterThanOrEqual(sessions);
    expect(counts.requests / exchanges).toBeLessThanOrEqual(limit.requests);
    expect(counts.rows / exchanges).toBeLessThanOrEqual(limit.rows);
  },
);
