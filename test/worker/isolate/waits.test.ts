import { expect, it } from "vitest";
import { durableObjectStores, type ObjectNamespaces } from "../../../src/store/durable-object/durable-object.ts";
import { guardRig, post } from "../../proxy/guard-rig.ts";
import { ownObjects } from "../seams/bindings.ts";

type Wait = (namespace: keyof ObjectNamespaces) => Promise<void>;

/** The tests' own objects, each behind a wait. */
function behind(wait: Wait): ObjectNamespaces {
  const waiting = (namespace: keyof ObjectNamespaces) => ({
    getByName(name: string) {
      const stub = ownObjects[namespace].getByName(name);
      const ask = async (method: string, args: readonly unknown[]) => {
        await wait(namespace);
        // biome-ignore lint/suspicious/noExplicitAny: whatever it is called with, the object gets
        return (stub as any)[method](...args);
      };
      const get =
        (_: object, method: string) =>
        (...args: unknown[]) =>
          ask(method, args);
      return new Proxy({}, { get });
    },
  });
  const names = ["THREADS", "COUNTERS", "JOURNAL", "DIRECTORY"] as const;
  return Object.fromEntries(names.map((name) => [name, waiting(name)])) as unknown as ObjectNamespaces;
}

const turn = (i: number) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `c${i}`, type: "function", function: { name: "read", arguments: `{"page":${i}}` } }],
  },
  { role: "tool", tool_call_id: `c${i}`, content: `The words of page ${i}.` },
];

/** A healthy run of six turns, each answered before the next one is asked for. */
async function run(wait: Wait, headers: Readonly<Record<string, string>>) {
  const { url } = await guardRig(() => ({ kind: "text", text: "Next." }), {
    stores: durableObjectStores(behind(wait), { name: crypto.randomUUID() }),
    storeDeadlineMs: 20_000,
    gatherMs: 2_000,
    outlive: () => undefined,
  });
  const messages: object[] = [{ role: "user", content: "Read the book." }];
  const timings: string[] = [];
  for (let i = 0; i < 6; i += 1) {
    const given = await post(url, JSON.stringify({ model: "m", messages }), headers);
    expect([given.status, given.headers.get("x-unloop-verdict")]).toEqual([200, "ok"]);
    timings.push(given.headers.get("server-timing") ?? "");
    messages.push(...turn(i));
  }
  return timings;
}

const named = { "x-unloop-session": "book" };

const never: Wait = (namespace) => (namespace === "THREADS" ? Promise.resolve() : new Promise(() => undefined));

it.each([
  { of: "a named run", headers: named },
  { of: "a run that nobody names", headers: {} },
])("no exchange of $of waits for an object that all others ask", async ({ of, headers }) => {
  console.info(`${of}, where shared objects never answer: ${(await run(never, headers)).join("; ")}`);
});

it("an exchange waits once for its session's object, however far that is", async () => {
  const asked: string[] = [];
  let before: Promise<unknown> = Promise.resolve();
  // As far as they are, questions arrive in their order: a read that overtook a write would make that one again.
  const far = async (namespace: string) => {
    asked.push(namespace);
    before = Promise.all([before, new Promise((resolve) => setTimeout(resolve, 200))]);
    await before;
  };
  const timings = await run(far, named);
  console.info(`with 200 ms added to every object: ${timings.join("; ")}`);
  // One to read it; and, in one go behind the answer, its record with the alias that leads there.
  expect(asked.filter((namespace) => namespace === "THREADS").length).toBeLessThanOrEqual(3 * timings.length);
});
