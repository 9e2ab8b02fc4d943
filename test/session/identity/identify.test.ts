import { describe, expect, it } from "vitest";
import { identify } from "../../../src/session/session.ts";
import type { Conversation } from "../../../src/step.ts";
import { sign } from "../../support/builders/detection.ts";
import { evidence } from "../../support/builders/evidence.ts";
import { call, conversation, heard, numbered, upTo, withIds } from "../../support/builders/steps.ts";

const told = numbered(conversation([heard("Fix a."), call("read", {}, "x"), call("edit", {}, "y")]));

function who(headers: Readonly<Record<string, string>> = {}, about: Conversation = told) {
  return identify(evidence({ headers }), about, sign);
}

describe("a header names the session", () => {
  it("a named session's thread goes on as the conversation grows", () => {
    const name = { "x-unloop-session": "run-7" };
    expect(who(name, upTo(told, 1)).thread).toBe(who(name).thread);
    expect(who(name, upTo(told, 0)).thread).toBe(who(name).thread);
  });

  it("sub-agents of one session are threads of their own, by system text or by task", () => {
    const name = { "x-unloop-session": "run-7" };
    expect(who(name, { ...told, system: "You are a reviewer." }).thread).not.toBe(who(name).thread);
    expect(who(name, { ...told, opening: ["Fix b."] }).thread).not.toBe(who(name).thread);
    expect(who(name, { ...told, opening: ["Fix b."] }).session).toBe("run-7");
  });
});

describe("without a header the conversation's beginning tells", () => {
  it("a derived session goes on as the conversation grows", () => {
    expect(who().source).toBe("derived");
    expect(who({}, upTo(told, 1)).thread).toBe(who().thread);
  });

  it.each([
    { name: "another task", other: { ...told, opening: ["Fix b."] } },
    { name: "another system text", other: { ...told, system: "You are a reviewer." } },
    { name: "the same task, answered with other call ids: another run", other: withIds(told, () => "z9") },
  ])("$name is another session", ({ other }) => {
    expect(who({}, other).session).not.toBe(who().session);
    expect(who({}, other).thread).not.toBe(who().thread);
  });

  it("a time of day in the system text or the task changes nothing", () => {
    const at = (clock: string): Conversation => ({
      ...told,
      system: `You are an agent. It is 2026-01-02 ${clock}.`,
      opening: [`Fix a. (sent at ${clock})`],
    });
    expect(who({}, at("10:00:01"))).toEqual(who({}, at("10:07:59")));
  });

  it("an outcome that arrives late changes nothing", () => {
    const pending = {
      ...told,
      steps: told.steps.map((step) => ({ ...step, calls: step.calls.map(({ outcome: _, ...rest }) => rest) })),
    };
    expect(who({}, pending)).toEqual(who());
  });
});

describe("a cache key, which several runs may share", () => {
  const keyed = (about: Conversation) => identify(evidence({ body: { prompt_cache_key: "app" } }), about, sign);
  const again = withIds(told, () => "z9");

  it("names the session", () => {
    expect(keyed(told)).toMatchObject({ session: "app", source: "body:prompt_cache_key", isGiven: false });
  });

  it("each run under a cache key is a thread with a budget of its own", () => {
    expect(keyed(again).thread).not.toBe(keyed(told).thread);
    expect(keyed(again).key).not.toBe(keyed(told).key);
    expect(keyed(upTo(told, 1))).toEqual(keyed(told));
  });
});

describe("tenants are apart", () => {
  it("a key under one header is not the same key under another", () => {
    expect(who({ "x-api-key": "k" }).thread).not.toBe(who({ "api-key": "k" }).thread);
  });

  it("a derived name is worth nothing as a given one", () => {
    expect(who({ "x-unloop-session": who().session }).key).not.toBe(who().key);
  });

  it("nothing of a credential or a text is in a name", () => {
    const identity = JSON.stringify(who({ authorization: "Bearer sk-secret" }));
    expect(identity).not.toMatch(/sk-secret|Fix a/);
  });
});
