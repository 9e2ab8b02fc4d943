import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import type { Edit } from "../../../src/protocols/protocols.ts";
import { called, type Message, result, rewrite, said, user } from "./support.ts";

const note = (step: number, text = "NOTE"): Edit => ({ kind: "note", step, text });
const finish = (tool?: string): Edit => ({ kind: "finish", tool });
const preamble = (text = "CHECK"): Edit => ({ kind: "preamble", text });
const noted = (message: Message): Message => ({ ...message, content: `${message.content}\n\nNOTE` });
const system = (content: unknown): Message => ({ role: "system", content });
const developer = (content: unknown): Message => ({ role: "developer", content });
const text = (value: string) => ({ type: "text", text: value });
const rewritten = (request: object, ...edits: Edit[]) => JSON.parse(rewrite(JSON.stringify(request), edits));

describe("a note", () => {
  const call = called(["a", "x"], ["b", "y"]);
  const late = [called(["a", "x"]), said("b"), said("c"), result("a", "1")];
  /** `expected` are the messages behind those that are the same. */
  it.each<[name: string, messages: readonly unknown[], expected: readonly unknown[], step?: number]>([
    ["goes to the last result of the step", [call, result("a", "1"), result("b", "2")], [noted(result("b", "2"))]],
    ["goes to a user behind the results", [call, result("a", "1"), user("go on")], [noted(user("go on"))]],
    [
      "goes to a result behind a user, not to an instruction",
      [call, user("u"), result("b", "2"), system("s")],
      [noted(result("b", "2")), system("s")],
    ],
    ["becomes a part of parts", [said("a"), user([text("u")])], [user([text("u"), text("NOTE")])]],
    ["fills empty content", [said("a"), user("")], [user("NOTE")]],
    ["fills null", [said("a"), user(null)], [user("NOTE")]],
    ["is a message of its own behind a turn that nothing followed", [said("a")], [said("a"), user("NOTE")]],
    ["is one between two turns", [said("a"), said("b"), user("u")], [user("NOTE"), said("b"), user("u")]],
    ["stays out where calls are unanswered", [call, said("b"), result("a", "1")], [said("b"), result("a", "1")]],
    ["stays out where a history ends in calls", [user("q"), call], [call]],
    ["never comes between an earlier call and its late result", late, late, 1],
    ["counts what the reader counts", [null, said("a"), 5, said(null), user("u")], [noted(user("u"))], 1],
  ])("%s", (_, messages, expected, step = 0) => {
    const changed = rewritten({ messages }, note(step)).messages;
    expect(changed.slice(-expected.length)).toEqual(expected);
    expect(changed.slice(0, -expected.length)).toEqual(messages.slice(0, changed.length - expected.length));
  });
});

describe("a preamble", () => {
  const q = user("q");
  it.each<[name: string, messages: readonly Message[], expected: readonly Message[]]>([
    ["follows the system prompt", [system("s"), q], [system("s\n\nCHECK"), q]],
    [
      "follows the last of the instructions at the beginning",
      [system("s"), developer("d"), q, system("later")],
      [system("s"), developer("d\n\nCHECK"), q, system("later")],
    ],
    ["becomes a part of parts", [system([text("s")]), q], [system([text("s"), text("CHECK")]), q]],
    ["fills null", [system(null), q], [system("CHECK"), q]],
    ["stays out of content of no known kind", [system({ a: 1 }), q], [system({ a: 1 }), q]],
    ["is a system message where there is none", [q, system("later")], [system("CHECK"), q, system("later")]],
    ["is a developer message where there are such", [q, developer("x")], [developer("CHECK"), q, developer("x")]],
    ["is not said again where the client says it", [system([text("s. CHECK")]), q], [system([text("s. CHECK")]), q]],
    ["is said where only a user has said it", [system("s"), user("CHECK")], [system("s\n\nCHECK"), user("CHECK")]],
  ])("%s", (_, messages, expected) => {
    expect(rewritten({ messages }, preamble(), preamble()).messages).toEqual(expected);
  });

  it("leaves a longer history the same bytes up to where the shorter one ended", () => {
    const message = fc.record({
      role: fc.constantFrom("system", "developer", "user", "assistant"),
      content: fc.oneof(fc.string({ unit: "binary" }), fc.constant(null)),
    });
    const some = fc.array(message, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(some, some, (messages, more) => {
        const shorter = [...messages, said("a")];
        const one = rewrite(JSON.stringify({ messages: shorter }), [preamble("\u0001unlikely")]);
        const other = rewrite(JSON.stringify({ messages: [...shorter, ...more] }), [preamble("\u0001unlikely")]);
        expect(other.startsWith(one.slice(0, -2))).toBe(true);
      }),
    );
  });
});

describe("a finish", () => {
  const fn = (name: string) => ({ type: "function", function: { name, parameters: { n: 1 } } });
  const custom = { type: "custom", custom: { name: "sh" } };
  const chosen = (name: string) => ({ type: "function", function: { name } });
  it.each<[name: string, request: object, tool: string | undefined, expected: object]>([
    [
      "offers and chooses the done tool alone",
      { tools: [fn("a"), fn("done"), custom], tool_choice: "auto" },
      "done",
      { tools: [fn("done")], tool_choice: chosen("done") },
    ],
    [
      "chooses a custom tool its own way",
      { tools: [fn("a"), custom] },
      "sh",
      { tools: [custom], tool_choice: { type: "custom", custom: { name: "sh" } } },
    ],
    [
      "does the same for legacy functions",
      { functions: [{ name: "a" }, { name: "done" }], function_call: "auto" },
      "done",
      { functions: [{ name: "done" }], function_call: { name: "done" } },
    ],
    [
      "forbids tools where the client demands one and there is no done tool",
      { tools: [fn("a")], tool_choice: chosen("a") },
      undefined,
      { tools: [fn("a")], tool_choice: "none" },
    ],
    ["forbids tools where it is not on offer", { tools: [fn("a")] }, "done", { tools: [fn("a")], tool_choice: "none" }],
    ["forbids functions", { functions: [fn("a")] }, undefined, { functions: [fn("a")], function_call: "none" }],
    ["says nothing of tools where none are offered", { tools: [] }, undefined, { tools: [] }],
    ["bears tools that are none", { tools: { a: 1 }, functions: 5 }, "a", { tools: { a: 1 }, functions: 5 }],
  ])("%s", (_, request, tool, expected) => {
    const messages = [user("q")];
    expect(rewritten({ messages, ...request }, finish(tool))).toEqual({ messages, ...expected });
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

  const space = fc.constantFrom(0, 1, "\t");

  it("a note is one insertion, every byte around it as it was, and moves no step", () => {
    const talk = fc.record({ role: fc.constantFrom("user", "assistant", "tool"), content });
    fc.assert(
      fc.property(fc.array(talk, { minLength: 1, maxLength: 6 }), space, fc.nat(3), (messages, indent, at) => {
        const body = JSON.stringify({ seed: 1, messages, "2": 3 }, null, indent);
        const changed = rewrite(body, [note(at, 'N"\n')]);
        const isKnown = messages.filter(({ role }) => role === "assistant").length > at;
        expect(changed.length > body.length).toBe(isKnown);
        if (!body.includes("null")) expect(sharedEnds(body, changed)).toBeGreaterThanOrEqual(body.length);
        const count = (sent: string) => chatCompletions.parse(sent)?.conversation.steps.length;
        expect(count(changed)).toBe(count(body));
      }),
    );
  });
});

/** How many characters two texts have in common from the front and from the back. */
function sharedEnds(one: string, other: string): number {
  let front = 0;
  while (front < one.length && one[front] === other[front]) front += 1;
  let back = 0;
  while (back < one.length && one.at(-1 - back) === other.at(-1 - back)) back += 1;
  return front + back;
}
