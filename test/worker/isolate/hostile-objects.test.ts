import { expect, it } from "vitest";
import { durableObjectStores, type ObjectNamespaces } from "../../../src/store/durable-object/durable-object.ts";
import { guardRig, post } from "../../proxy/guard-rig.ts";
import { ownObjects } from "../seams/bindings.ts";

/** What an object gives in place of its own answer. */
type Given = (own: () => Promise<unknown>, binding: keyof ObjectNamespaces, method: string) => unknown;

/** The tests' own objects, each answer passed through `given`. */
function answering(given: Given): ObjectNamespaces {
  const namespace = (binding: keyof ObjectNamespaces) => ({
    getByName(name: string) {
      const stub = ownObjects[binding].getByName(name);
      const get =
        (_: object, method: string) =>
        async (...args: unknown[]) =>
          // biome-ignore lint/suspicious/noExplicitAny: whatever it is called with, the object gets
          given(() => (stub as any)[method](...args), binding, method);
      return new Proxy({}, { get });
    },
  });
  const names = ["THREADS", "JOURNAL", "DIRECTORY"] as const;
  return Object.fromEntries(names.map((name) => [name, namespace(name)])) as unknown as ObjectNamespaces;
}

const turn = (i: number) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `c${i}`, type: "function", function: { name: "read", arguments: '{"page":1}' } }],
  },
  { role: "tool", tool_call_id: `c${i}`, content: "There is no such page." },
];

/** Verdicts on a run that makes the same call again and again. */
async function loop(given: Given): Promise<readonly (string | null)[]> {
  const { url } = await guardRig(() => ({ kind: "text", text: "Next." }), {
    stores: durableObjectStores(answering(given), { name: crypto.randomUUID() }),
    outlive: () => undefined,
  });
  const session = crypto.randomUUID();
  const messages: object[] = [{ role: "user", content: "Read the book." }];
  const verdicts: (string | null)[] = [];
  for (let i = 0; i < 7; i += 1) {
    const { status, headers } = await post(url, JSON.stringify({ model: "m", messages }), {
      "x-unloop-session": session,
    });
    expect(status).toBe(200);
    verdicts.push(headers.get("x-unloop-verdict"));
    messages.push(...turn(i));
  }
  return verdicts;
}

/** A record of a thread in place of each that is asked for. */
const forged =
  (json: string): Given =>
  async (own, binding) => {
    const answer = (await own()) as { readonly results: readonly unknown[] };
    return binding === "THREADS" ? { ...answer, results: answer.results.map(() => ({ json, version: 1 })) } : answer;
  };

/** What each was asked first, it answers for ever: an object that lost its newer records. */
function stale(): Given {
  const first = new Map<string, unknown>();
  return async (own, binding, method) => {
    const place = `${binding} ${method}`;
    const answer = await own();
    if (!first.has(place)) first.set(place, answer);
    return first.get(place);
  };
}

it.each<{ objects: string; given: Given }>([
  { objects: "throw", given: () => Promise.reject(new Error("Durable Object reset because its code was updated.")) },
  // Those that all sessions share.
  {
    objects: "but threads never answer",
    given: (own, of) => (of === "THREADS" ? own() : new Promise(() => undefined)),
  },
  { objects: "answer nothing", given: () => undefined },
  { objects: "give what they had at first", given: stale() },
  { objects: "answer results of no shape", given: () => ({ results: [7], directives: [{ key: 7 }] }) },
  { objects: "give records of another shape", given: forged('{"window":7,"__proto__":{"total":9}}') },
  { objects: "give records nested 100,000 deep", given: forged("[".repeat(100_000)) },
  { objects: "give records of 1.9 MB", given: forged(`{"window":[${"0,".repeat(950_000)}0]}`) },
])("a run is judged by its own history where objects $objects", async ({ given }) => {
  const verdicts = await loop(given);
  expect(verdicts.slice(0, 3)).not.toContain("short-circuit");
  expect(verdicts.some((verdict) => verdict === "nudge" || verdict === "short-circuit")).toBe(true);
});
