import { describe, expect, it } from "vitest";
import { identify, isRandomId } from "../../../src/session/session.ts";
import type { Conversation } from "../../../src/step.ts";
import { sign } from "../../support/builders/detection.ts";
import { evidence, type Said } from "../../support/builders/evidence.ts";
import { call, conversation, heard, numbered, upTo, withIds } from "../../support/builders/steps.ts";

const told = numbered(conversation([heard("Fix a."), call("read", {}, "x"), call("edit", {}, "y")]));
const again = withIds(told, () => "z9");
const named = { "x-unloop-session": "run-7" };

function who(headers: Readonly<Record<string, string>> = {}, about: Conversation = told) {
  return identify(evidence({ headers }), about, sign);
}

it("a named session's thread goes on as the conversation grows; sub-agents in it are threads of their own, by system text or by task", () => {
  for (const count of [0, 1]) expect(who(named, upTo(told, count)).thread).toBe(who(named).thread);
  for (const other of [
    { ...told, system: "You are a reviewer." },
    { ...told, opening: ["Fix b."] },
  ]) {
    expect(who(named, other).thread).not.toBe(who(named).thread);
    expect(who(named, other).session).toBe("run-7");
  }
});

it.each<{ name: string; other: Conversation; isSame?: true }>([
  { name: "another task", other: { ...told, opening: ["Fix b."] } },
  { name: "another system text", other: { ...told, system: "You are a reviewer." } },
  { name: "other call ids", other: again },
  { name: "a shorter history", other: upTo(told, 1), isSame: true },
  {
    name: "outcomes that are not there yet",
    other: {
      ...told,
      steps: told.steps.map((step) => ({ ...step, calls: step.calls.map(({ outcome: _, ...rest }) => rest) })),
    },
    isSame: true,
  },
])("without a header the conversation's beginning tells: $name", ({ other, isSame = false }) => {
  expect([who({}, other).session === who().session, who({}, other).thread === who().thread]).toEqual([isSame, isSame]);
});

it("a cache key, which several runs may share, names the session, and each run under it has a thread and a budget of its own", () => {
  const keyed = (about: Conversation) => identify(evidence({ body: { prompt_cache_key: "app" } }), about, sign);
  expect(keyed(told)).toMatchObject({ session: "app", source: "body:prompt_cache_key", isGiven: false });
  expect(keyed(again).thread).not.toBe(keyed(told).thread);
  expect(keyed(again).key).not.toBe(keyed(told).key);
  expect(keyed(upTo(told, 1))).toEqual(keyed(told));
});

it.each<{ name: string; parent: Said; child: (id: string) => Said }>([
  {
    name: "by a header of their own",
    parent: { headers: { "x-claude-code-session-id": "run-7" } },
    child: (id) => ({ headers: { "x-claude-code-session-id": "run-7", "x-claude-code-agent-id": id } }),
  },
  {
    name: "in the body",
    parent: { body: { client_metadata: { session_id: "run-7", thread_id: "run-7" } } },
    child: (id) => ({ body: { client_metadata: { session_id: "run-7", thread_id: id } } }),
  },
  {
    name: "by an id beside their parent's",
    parent: { headers: { "x-session-affinity": "run-7" } },
    child: (id) => ({ headers: { "x-session-affinity": id, "x-parent-session-id": "run-7" } }),
  },
])("sub-agents that begin alike are threads of their own, and share their session: $name", ({ parent, child }) => {
  const all = [parent, child("agent-1"), child("agent-2")].map((said) => identify(evidence(said), told, sign));
  expect(new Set(all.map(({ thread }) => thread)).size).toBe(3);
  expect(new Set(all.map(({ key, session }) => `${key} ${session}`)).size).toBe(1);
});

it("a sub-agent's id is refused like a session's", () => {
  const headers = { "x-claude-code-session-id": "run-7" };
  expect(who({ ...headers, "x-claude-code-agent-id": "null" })).toEqual(who(headers));
});

describe("tenants are apart", () => {
  const tenantOf = ({ headers, ...more }: Said, tenantHeader?: string) => {
    const said = { ...evidence({ ...more, headers: { ...named, ...headers } }), tenantHeader };
    const { tenant, key } = identify(said, told, sign);
    return `${tenant} ${key}`;
  };

  it.each([
    "authorization",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "openai-project",
    "x-forwarded-user",
    "cookie",
    "?key",
    "?access_token",
  ])("by %s, and by the operator's header", (name) => {
    const by = (key: string): Said =>
      name.startsWith("?") ? { query: { [name.slice(1)]: key } } : { headers: { [name]: key } };
    expect([tenantOf(by("b")) === tenantOf(by("a")), tenantOf(by("a"))]).toEqual([false, tenantOf(by("a"))]);
    const team = (team: string) => ({ ...by("a"), headers: { ...by("a").headers, "x-team-id": team } });
    expect(tenantOf(team("a"), "x-team-id")).not.toBe(tenantOf(team("b"), "x-team-id"));
    expect(tenantOf(team("a"))).toBe(tenantOf(team("b")));
  });

  it("and stay one where a load balancer or the API sets a cookie in mid-run", () => {
    const key = { authorization: "Bearer a" };
    expect(tenantOf({ headers: { ...key, cookie: "session=1" } })).toBe(tenantOf({ headers: key }));
    const cookies = (text: string) => tenantOf({ headers: { cookie: text } });
    expect(cookies("user=ann; __cf_bm=1")).toBe(cookies("__cf_bm=2; user=ann"));
  });

  it("a key under one header is another one's elsewhere, a derived name is worth nothing as a given one, and no name tells a credential or a text", () => {
    expect(who({ "x-api-key": "k" }).thread).not.toBe(who({ "api-key": "k" }).thread);
    expect(who({ "x-unloop-session": who().session }).key).not.toBe(who().key);
    expect(JSON.stringify(who({ authorization: "Bearer sk-secret" }))).not.toMatch(/sk-secret|Fix a/);
  });
});

it.each([
  ["call_q8w7e6r5t4y3", true],
  ["42a1b2c3d4e5f6a7b8_0001", true],
  ["call_1", false],
  ["functions.search_pages:0001", false],
])("a call id that no other run has is told from one that is counted: %s", (id, isRandom) =>
  expect(isRandomId(id)).toBe(isRandom),
);

it("a time of day in system text or task is no other beginning", () => {
  const at = (clock: string): Conversation => {
    const system = `You are an agent. It is 2026-01-02 ${clock}.`;
    return { ...told, system, opening: [`Fix a. (sent at ${clock})`] };
  };
  expect(who({}, at("10:00:01"))).toEqual(who({}, at("10:07:59")));
});
