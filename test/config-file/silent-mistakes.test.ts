import { describe, expect, it } from "vitest";
import { problemLines, readConfigFile } from "../../src/config-file/config-file.ts";

const key = (letter: string) => letter.repeat(64);
const CLIENTS = `clients:
  - { name: ci, tenant: research, sha256: ${key("a")} }
  - { name: bot-1, tenant: sales, sha256: ${key("b")} }
`;
const rules = (...when: readonly string[]) =>
  `${CLIENTS}rules:\n${when.map((one, i) => `  - { name: r${i}, when: ${one} }`).join("\n")}`;
const ladder = (text: string) => `policies:\n  team: { ladders: { repeated-call: ${text} } }`;

function mistakes(text: string): readonly string[] {
  const read = readConfigFile(text);
  return "problems" in read ? problemLines("f", read.problems) : [];
}

describe("a mistake that would have no effect, or another one, without a word", () => {
  it.each([
    {
      text: rules("{ tenant: reserch }"),
      says: 'when.tenant is "reserch", which is not a tenant of a client key or token; did you mean "research"?',
    },
    { text: rules("{ tenant: [sales, legal] }"), says: "when.tenant[1] is not a tenant" },
    {
      text: rules("{ client: bot1 }"),
      says: 'when.client is "bot1", which is not a client key; did you mean "bot-1"?',
    },
    { text: rules("{ client: 'x*' }"), says: 'when.client is "x*", which is not a client key' },
    { text: "rules:\n  - { name: a, when: { tenant: sales } }", says: "2:24 rules[0].when.tenant is not a tenant" },
    {
      text: rules("{ agent: a }", "{ agent: a }"),
      says: "rules[1] is never reached: rules[0] before it takes all that it would. Move",
    },
    {
      text: rules("{ model: 'gpt*' }", "{ model: ['gpt-4*', gpt-5], tenant: sales }"),
      says: "rules[1] is never reached",
    },
    { text: rules("{ path: /team }", "{ path: /team/v1 }"), says: "rules[1] is never reached" },
    {
      text: rules("{ header: { X-Env: 'p*' } }", "{ header: { x-env: prod, x-a: b } }"),
      says: "rules[1] is never reached",
    },
    { text: rules("{}", "{ agent: a }"), says: "rules[0] before it takes all that it would" },
    { text: "rollout: 0.1", says: "1:1 rollout is less than one per cent; a tenth of the sessions is 10" },
    { text: "rules:\n  - { name: a, rollout: 0.5 }", says: "rules[0].rollout is less than one per cent" },
    { text: ladder("{ nudge: 5, short-circuit: 2 }"), says: "nudge is 5, and short-circuit comes at 2 already" },
    {
      text: ladder("{ nudge: 2, force-done: 9, short-circuit: 8 }"),
      says: "force-done is 9, and short-circuit comes at 8",
    },
    {
      text: "policies:\n  team: { tools: { x: { ladders: { repeated-call: { nudge: 5, force-done: 4 } } } } }",
      says: "nudge is 5",
    },
  ])("is said with its place and cure: $says", ({ text, says }) => {
    expect(mistakes(text).join()).toContain(says);
    expect(mistakes(text)).toHaveLength(1);
  });

  it.each([
    { name: "patterns that match a client", text: rules("{ tenant: 're*' }", "{ client: 'bot-*' }") },
    {
      name: "rules that overlap",
      text: rules("{ agent: a, model: m }", "{ agent: a }", "{ path: /t }", "{ path: /team }"),
    },
    { name: "a wider list behind a narrower one", text: rules("{ model: a }", "{ model: [a, b] }") },
    {
      name: "a token for a tenant that a header names",
      text: `admin: { tokens: [{ name: t, role: read, tenant: legal, sha256: ${key("c")} }] }`,
    },
    {
      name: "a rollout of none, one per cent and all",
      text: "rules:\n  - { name: a, when: { agent: a }, rollout: 0 }\n  - { name: b, when: { agent: b }, rollout: 1 }\n  - { name: c, rollout: 100 }",
    },
    { name: "rungs at the same count", text: ladder("{ nudge: 3, short-circuit: 3 }") },
    { name: "a rung above one of the preset's", text: ladder("{ nudge: 9 }") },
  ])("is not taken for one: $name", ({ text }) => expect(mistakes(text)).toEqual([]));
});
