import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import type { Edit } from "../../../src/protocols/protocols.ts";
import { called, type Message, result, said, user, rewrite } from "./support.ts";

const { parse } = chatCompletions;
const note = (step: number, text = "NOTE"): Edit => ({ kind: "note", step, text });
const finish = (tool?: string): Edit => ({ kind: "finish", tool });
const noted = (message: Message, text = "NOTE"): Message => ({ ...message, content: `${message.content}\n\n${text}` });
const rewritten = (request: object, ...edits: Edit[]) => JSON.parse(rewrite(JSON.stringify(request), edits));

describe("a note", () => {
  const call = called(["a", "x"], ["b", "y"]);
  it.each([
    {
      name: "goes to the last result of the step",
      messages: [user("q"), call, result("a", "1"), result("b", "2"), said("z")],
      expected: [user("q"), call, result("a", "1"), noted(result("b", "2")), said("z")],
    },
    {
      name: "goes to a user message that comes behind the results",
      messages: [call, result("a", "1"), result("b", "2"), user("go on")],
      expected: [call, result("a", "1"), result("b", "2"), noted(user("go on"))],
    },
    {
      name: "goes to a result that comes behind a user message",
      messages: [call, result("a", "1"), user("u"), result("b", "2"), { role: "system", content: "s" }],
      expected: [call, result("a", "1"), user("u"), noted(result("b", "2")), { role: "system", content: "s" }],
    },
    {
      name: "goes to a legacy function result",
      messages: [
        { role: "assistant", function_call: { name: "f" } },
        { role: "function", name: "f", content: "r" },
      ],
      expected: [
        { role: "assistant", function_call: { name: "f" } },
        noted({ role: "function", name: "f", content: "r" }),
      ],
    },
    {
      name: "becomes a part where content is parts",
      messages: [said("a"), user([{ type: "text", text: "u" }])],
      expected: [
        said("a"),
        user([
          { type: "text", text: "u" },
          { type: "text", text: "NOTE" },
        ]),
      ],
    },
    {
      name: "becomes the first of no parts",
      messages: [said("a"), user([])],
      expected: [said("a"), user([{ type: "text", text: "NOTE" }])],
    },
    { name: "fills empty content", messages: [said("a"), user("")], expected: [said("a"), user("NOTE")] },
    { name: "fills null", messages: [said("a"), user(null)], expected: [said("a"), user("NOTE")] },
    {
      name: "fills content that is missing",
      messages: [said("a"), { role: "user" }],
      expected: [said("a"), { role: "user", content: "NOTE" }],
    },
    {
      name: "is a message of its own behind a turn that nothing followed",
      messages: [user("q"), said("a")],
      expected: [user("q"), said("a"), user("NOTE")],
    },
    {
      name: "is a message of its own between two turns",
      messages: [said("a"), said("b"), user("u")],
      expected: [said("a"), user("NOTE"), said("b"), user("u")],
    },
    {
      name: "stays out where calls are still unanswered",
      messages: [call, said("b"), result("a", "1"), result("b", "2")],
      expected: [call, said("b"), result("a", "1"), result("b", "2")],
    },
    {
      name: "stays out where a history ends in calls",
      messages: [user("q"), call],
      expected: [user("q"), call],
    },
    {
      name: "stays out where there is no such step",
      messages: [user("q")],
      expected: [user("q")],
    },
  ])("$name", ({ messages, expected }) => {
    expect(rewritten({ messages }, note(0)).messages).toEqual(expected);
  });

  it("never comes between an earlier call and its late result", () => {
    const messages = [called(["a", "x"]), said("b"), said("c"), result("a", "1")];
    expect(rewritten({ messages }, note(1)).messages).toEqual(messages);
    const answered = [called(["a", "x"]), result("a", "1"), said("b"), said("c"), user("u")];
    expect(rewritten({ messages: answered }, note(1)).messages).toHaveLength(6);
  });

  it("counts as steps what the reader counts as steps", () => {
    const messages = [null, said("a"), 5, { role: "odd" }, said(null), user("u")];
    expect(parse(JSON.stringify({ messages }))?.conversation.steps).toHaveLength(2);
    expect(rewritten({ messages }, note(1)).messages.at(-1)).toEqual(noted(user("u")));
  });

  it("may be one of several, on the same message too, one after the other", () => {
    const parts = user([{ type: "text", text: "p" }]);
    for (const messages of [[said("a"), user("u")], [said("a"), parts], [said("a")], [said("a"), user("")]]) {
      const body = JSON.stringify({ messages });
      const together = rewrite(body, [note(0, "1"), note(0, '2"\n\u2028\ud800')]);
      expect(together).toBe(rewrite(rewrite(body, [note(0, "1")]), [note(0, '2"\n\u2028\ud800')]));
      expect(JSON.parse(together).messages).not.toEqual(messages);
    }
  });
});

describe("a finish", () => {
  const fn = (name: string) => ({ type: "function", function: { name, parameters: { n: 1 } } });
  const custom = { type: "custom", custom: { name: "sh" } };
  const messages = [user("q")];
  it.each([
    {
      name: "offers and chooses the done tool alone",
      request: { tools: [fn("a"), fn("done"), custom], tool_choice: "auto" },
      tool: "done",
      expected: { tools: [fn("done")], tool_choice: { type: "function", function: { name: "done" } } },
    },
    {
      name: "chooses a custom tool its own way",
      request: { tools: [fn("a"), custom] },
      tool: "sh",
      expected: { tools: [custom], tool_choice: { type: "custom", custom: { name: "sh" } } },
    },
    {
      name: "does the same for legacy functions",
      request: { functions: [{ name: "a" }, { name: "done" }], function_call: "auto" },
      tool: "done",
      expected: { functions: [{ name: "done" }], function_call: { name: "done" } },
    },
    {
      name: "forbids tools where there is no done tool",
      request: { tools: [fn("a")], tool_choice: "auto" },
      tool: undefined,
      expected: { tools: [fn("a")], tool_choice: "none" },
    },
    {
      name: "forbids tools where the client demands one and there is no done tool",
      request: { tools: [fn("a")], tool_choice: { type: "function", function: { name: "a" } } },
      tool: undefined,
      expected: { tools: [fn("a")], tool_choice: "none" },
    },
    {
      name: "forbids tools where the done tool is not on offer",
      request: { tools: [fn("a")] },
      tool: "done",
      expected: { tools: [fn("a")], tool_choice: "none" },
    },
    {
      name: "forbids legacy functions",
      request: { functions: [{ name: "a" }] },
      tool: undefined,
      expected: { functions: [{ name: "a" }], function_call: "none" },
    },
    {
      name: "says nothing of tools where none are offered",
      request: { tools: [] },
      tool: undefined,
      expected: { tools: [] },
    },
    {
      name: "bears tools that are none",
      request: { tools: { a: 1 }, functions: 5 },
      tool: "a",
      expected: { tools: { a: 1 }, functions: 5 },
    },
  ])("$name", ({ request, tool, expected }) => {
    expect(rewritten({ messages, ...request }, finish(tool))).toEqual({ messages, ...expected });
    expect(rewritten({ ...request, messages }, finish(tool))).toEqual({ messages, ...expected });
  });
});

it("leaves every byte but the splices: odd space, big integers, escapes, duplicate and integer-like keys", () => {
  const body = `\t{ "messages" : 5, "seed":12345678901234567890 ,"2":1,"1":2, "to\\u006fls":[ 1, {"function" : {"name":"d\\u006fne","x":1e400}} ],
  "messages":[{"role":"assistant","content":"\\u00e9\\/"} , {"content":"old", "role":"user","content" : "a\\\\" , "role":"user"}\r\n],"__proto__":{"messages":[]}}  `;
  expect(rewrite(body, [note(0, 'b"'), finish("done")])).toBe(
    `\t{ "messages" : 5, "seed":12345678901234567890 ,"2":1,"1":2, "to\\u006fls":[{"function" : {"name":"d\\u006fne","x":1e400}}],
  "messages":[{"role":"assistant","content":"\\u00e9\\/"} , {"content":"old", "role":"user","content" : "a\\\\\\n\\nb\\"" , "role":"user"}\r\n],"__proto__":{"messages":[]},"tool_choice":{"type":"function","function":{"name":"done"}}}  `,
  );
});

describe("for any body", () => {
  const content = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constant(null),
    fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }),
  );
  const id = fc.constantFrom("a", "b");
  const message = fc.oneof(
    fc.record({ role: fc.constantFrom("user", "system", "assistant"), content }),
    fc.record({ content, role: fc.constant("tool"), tool_call_id: id }),
    fc.array(id, { maxLength: 3 }).map((ids) => called(...ids.map((each): [string, string] => [each, "x"]))),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const space = fc.constantFrom(0, 1, "\t");
  const request = fc.record({
    messages: fc.array(message, { maxLength: 8 }).map((messages) => [user("Go."), ...messages]),
    tools: fc.array(
      fc.constantFrom("a", "done").map((name) => ({ function: { name } })),
      { maxLength: 3 },
    ),
    extra: fc.jsonValue(),
  });
  const edit: fc.Arbitrary<Edit> = fc.oneof(
    fc.record({
      kind: fc.constant("note" as const),
      step: fc.integer({ min: -1, max: 6 }),
      text: fc.string({ unit: "binary" }),
    }),
    fc.record({ kind: fc.constant("finish" as const), tool: fc.constantFrom("done", "a", undefined) }),
  );

  it("no edits change nothing", () => {
    fc.assert(fc.property(fc.oneof(fc.json(), fc.string()), (body) => rewrite(body, []) === body));
  });

  it("notes never break the pairing of calls and results", () => {
    fc.assert(
      fc.property(request, space, fc.array(edit, { maxLength: 3 }), (value, indent, edits) => {
        const notes = edits.filter(({ kind }) => kind === "note");
        const body = JSON.stringify(value, null, indent);
        const changed = JSON.parse(rewrite(body, notes));
        expect(withoutUserMessages(changed.messages)).toEqual(withoutUserMessages(JSON.parse(body).messages));
      }),
    );
  });

  it("a note is one insertion, every byte around it as it was", () => {
    const spoken = fc.oneof(fc.string({ unit: "binary" }), fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }));
    const talk = fc.record({ role: fc.constantFrom("user", "assistant", "tool"), content: spoken });
    fc.assert(
      fc.property(fc.array(talk, { minLength: 1, maxLength: 6 }), space, fc.nat(3), (messages, indent, step) => {
        const body = JSON.stringify({ seed: 1, messages, "2": 3 }, null, indent);
        const changed = rewrite(body, [note(step, 'N"\n')]);
        const known = messages.filter(({ role }) => role === "assistant").length > step;
        expect(changed.length > body.length).toBe(known);
        expect(sharedEnds(body, changed)).toBeGreaterThanOrEqual(body.length);
        expect(JSON.stringify(JSON.parse(changed).messages).split('N\\"\\n')).toHaveLength(
          JSON.stringify(messages).split('N\\"\\n').length + (known ? 1 : 0),
        );
      }),
    );
  });

  it("edits change what they say and nothing else", () => {
    fc.assert(
      fc.property(request, space, fc.array(edit, { minLength: 1, maxLength: 3 }), (value, indent, edits) => {
        const changed = JSON.parse(rewrite(JSON.stringify(value, null, indent), edits));
        expect(changed.extra).toEqual(JSON.parse(JSON.stringify(value.extra)));
        const finishing = edits.some(({ kind }) => kind === "finish") && value.tools.length > 0;
        expect("tool_choice" in changed).toBe(finishing);
        if (!finishing) expect(changed.tools).toEqual(value.tools);
      }),
    );
  });
});

/** What a note must leave alone: all but the content of user and tool messages, and user messages. */
function withoutUserMessages(messages: readonly unknown[]): readonly unknown[] {
  return messages.flatMap((message) => {
    if (typeof message !== "object" || message === null || !("role" in message)) return [message];
    if (message.role === "user") return [];
    return message.role === "tool" ? [{ ...message, content: "" }] : [message];
  });
}

/** How many characters two texts have in common from the front and from the back. */
function sharedEnds(one: string, other: string): number {
  let front = 0;
  while (front < one.length && one[front] === other[front]) front += 1;
  let back = 0;
  while (back < one.length && one.at(-1 - back) === other.at(-1 - back)) back += 1;
  return front + back;
}
