import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import type { Edit } from "../../../src/protocols/protocols.ts";
import { called, type Message, result, said, user, rewrite } from "./support.ts";

const { parse } = chatCompletions;
const preamble = (text = "CHECK"): Edit => ({ kind: "preamble", text });
const system = (content: unknown): Message => ({ role: "system", content });
const developer = (content: unknown): Message => ({ role: "developer", content });
const text = (value: string) => ({ type: "text", text: value });
const rewritten = (messages: readonly unknown[], ...edits: Edit[]) =>
  JSON.parse(rewrite(JSON.stringify({ messages }), edits)).messages;

describe("a preamble", () => {
  it.each([
    {
      name: "follows the system prompt",
      messages: [system("s"), user("q")],
      expected: [system("s\n\nCHECK"), user("q")],
    },
    {
      name: "follows the last of the instructions at the beginning",
      messages: [system("s"), developer("d"), user("q"), system("later")],
      expected: [system("s"), developer("d\n\nCHECK"), user("q"), system("later")],
    },
    {
      name: "becomes a part where content is parts",
      messages: [system([text("s")]), user("q")],
      expected: [system([text("s"), text("CHECK")]), user("q")],
    },
    { name: "becomes the first of no parts", messages: [system([])], expected: [system([text("CHECK")])] },
    { name: "fills an empty prompt", messages: [system(""), user("q")], expected: [system("CHECK"), user("q")] },
    { name: "fills null", messages: [system(null), user("q")], expected: [system("CHECK"), user("q")] },
    {
      name: "fills content that is missing",
      messages: [{ role: "system" }, user("q")],
      expected: [{ role: "system", content: "CHECK" }, user("q")],
    },
    {
      name: "stays out of content of no known kind",
      messages: [system({ a: 1 }), user("q")],
      expected: [system({ a: 1 }), user("q")],
    },
    { name: "is a system message where there is none", messages: [user("q")], expected: [system("CHECK"), user("q")] },
    {
      name: "does not count as one an instruction in mid-conversation",
      messages: [user("q"), system("later")],
      expected: [system("CHECK"), user("q"), system("later")],
    },
    {
      name: "is a developer message where the conversation has such",
      messages: [user("q"), developer("later")],
      expected: [developer("CHECK"), user("q"), developer("later")],
    },
    {
      name: "is not said again where the client says it",
      messages: [system("s. CHECK. t"), user("q")],
      expected: [system("s. CHECK. t"), user("q")],
    },
    {
      name: "is not said again where the client says it in a part",
      messages: [system("s"), system([text("CHECK")]), user("q")],
      expected: [system("s"), system([text("CHECK")]), user("q")],
    },
    {
      name: "is said where only a user has said it",
      messages: [system("s"), user("CHECK")],
      expected: [system("s\n\nCHECK"), user("CHECK")],
    },
  ])("$name", ({ messages, expected }) => {
    expect(rewritten(messages, preamble())).toEqual(expected);
  });

  it("may be several, each once, in their order", () => {
    expect(rewritten([system("s")], preamble("1"), preamble("2"), preamble("1"))).toEqual([system("s\n\n1\n\n2")]);
  });

  it("goes with notes and a finish in one rewrite, and moves no step", () => {
    const tools = [{ type: "function", function: { name: "done" } }];
    const body = JSON.stringify({ messages: [user("q"), called(["a", "x"]), result("a", "r")], tools });
    const note: Edit = { kind: "note", step: 0, text: "NOTE" };
    const changed = JSON.parse(rewrite(body, [note, { kind: "finish", tool: "done" }, preamble()]));
    expect(changed).toEqual({
      messages: [system("CHECK"), user("q"), called(["a", "x"]), result("a", "r\n\nNOTE")],
      tools,
      tool_choice: { type: "function", function: { name: "done" } },
    });
    expect(parse(rewrite(body, [preamble()]))?.conversation.steps).toEqual(parse(body)?.conversation.steps);
  });

  it("leaves every other byte: odd space, escapes, big integers", () => {
    const body = `\t{ "seed":12345678901234567890 , "messages" : [ {"content" : "\\u00e9\\/" , "role":"system"} ,{"role":"user"}]}  `;
    expect(rewrite(body, [preamble('b"\n')])).toBe(
      `\t{ "seed":12345678901234567890 , "messages" : [ {"content" : "\\u00e9\\/\\n\\nb\\"\\n" , "role":"system"} ,{"role":"user"}]}  `,
    );
    expect(rewrite('{"messages": [ {"role":"user"}] }', [preamble()])).toBe(
      '{"messages": [ {"role":"system","content":"CHECK"},{"role":"user"}] }',
    );
  });
});

describe("for any conversation", () => {
  const content = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constant(null),
    fc.array(fc.record({ type: fc.constant("text"), text: fc.string() }), { maxLength: 2 }),
  );
  const message = fc.record({ role: fc.constantFrom("system", "developer", "user", "assistant"), content });
  const conversation = fc.array(message, { minLength: 1, maxLength: 6 });
  const space = fc.constantFrom(0, 1, "\t");
  const mark = "\u0001unlikely";

  it("a preamble is one insertion in the system prompt, and in nothing else that is read", () => {
    fc.assert(
      fc.property(conversation, space, (messages, indent) => {
        const body = JSON.stringify({ seed: 1, messages, "2": 3 }, null, indent);
        const changed = rewrite(body, [preamble(mark)]);
        expect(parse(changed)?.conversation.system.split(mark)).toHaveLength(2);
        const beside = (text: string) => ({ ...parse(text)?.conversation, system: "", lead: "" });
        expect(beside(changed)).toEqual(beside(body));
      }),
    );
  });

  it("a preamble that is there is not put there again", () => {
    fc.assert(
      fc.property(conversation, space, (messages, indent) => {
        const once = rewrite(JSON.stringify({ messages }, null, indent), [preamble(mark)]);
        expect(rewrite(once, [preamble(mark)])).toBe(once);
      }),
    );
  });

  it("a longer history has the same bytes up to where the shorter one ended", () => {
    fc.assert(
      fc.property(conversation, fc.array(message, { maxLength: 3 }), (messages, more) => {
        const longer = [...messages, said("a"), ...more, developer(mark)];
        const one = rewrite(JSON.stringify({ messages: [...messages, said("a")] }), [preamble(mark)]);
        const other = rewrite(JSON.stringify({ messages: longer }), [preamble(mark)]);
        expect(other.startsWith(one.slice(0, -2))).toBe(true);
      }),
    );
  });
});
