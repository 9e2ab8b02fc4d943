import { expect, it } from "vitest";
import { durableObjectStores } from "../../../src/store/durable-object/durable-object.ts";
import { guardRig, post } from "../../proxy/guard-rig.ts";
import { chatBody, laps, user } from "../../support/builders/chat-history.ts";
import { objectsThrough } from "../seams/bindings.ts";

type Given = Parameters<typeof objectsThrough>[0];

const forged =
  (json: string): Given =>
  async (own, binding) => {
    const answer = (await own()) as { readonly results: readonly unknown[] };
    return binding === "THREADS" ? { ...answer, results: answer.results.map(() => ({ json, version: 1 })) } : answer;
  };

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
  // Those that all sessions share.
  {
    objects: "but threads never answer",
    given: (own, of) => (of === "THREADS" ? own() : new Promise(() => undefined)),
  },
  { objects: "answer nothing", given: () => undefined },
  { objects: "give what they had at first", given: stale() },
  { objects: "answer results of no shape", given: () => ({ results: [7], directives: [{ key: 7 }] }) },
  { objects: "give records of another shape", given: forged('{"window":7,"__proto__":{"total":9}}') },
  { objects: "give records of 1.9 MB", given: forged(`{"window":[${"0,".repeat(950_000)}0]}`) },
])("a run is judged by its own history where objects $objects", async ({ given }) => {
  const { url } = await guardRig(() => ({ kind: "text", text: "Next." }), {
    stores: durableObjectStores(objectsThrough(given), { name: crypto.randomUUID() }),
    outlive: () => undefined,
  });
  const named = { "x-unloop-session": crypto.randomUUID() };
  const verdicts: (string | null)[] = [];
  for (let i = 0; i < 7; i += 1) {
    const { status, headers } = await post(url, chatBody([user("Read the book."), ...laps(i)]), named);
    expect(status).toBe(200);
    verdicts.push(headers.get("x-unloop-verdict"));
  }
  expect(verdicts.slice(0, 3)).not.toContain("short-circuit");
  expect(verdicts.some((verdict) => verdict === "nudge" || verdict === "short-circuit")).toBe(true);
});
