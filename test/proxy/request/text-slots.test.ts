import { describe, expect, it } from "vitest";
import { type ParsedRequest, protocolFor } from "../../../src/protocols/protocols.ts";
import { mergeHistory, identify } from "../../../src/session/session.ts";
import { judgeWith, sign } from "../../support/builders/detection.ts";
import { growsBeyondLinear } from "../../support/checks/growth.ts";

/* Every place of a request where a stranger can put a text: reading it and judging it is linear in that text, whatever it says. */

const alphabets = [
  " ",
  "\t",
  "\n",
  "{",
  '"',
  "[[",
  "a,",
  "\t-SED",
  "_session_",
  "Action: a\n",
  "Thought:",
  "```\n",
  "<",
  "é。",
];
const sizes = [32_768, 65_536, 131_072, 262_144];
/** Where only what reads a whole body still grows: a few texts for each slot are enough. */
const largeSizes = [2_097_152, 4_194_304];
const largeAlphabets = [" ", '{"', "é。"];
const TURNS = 2;

type Slots = Readonly<Record<SlotName, string>>;
const slotNames = ["system", "user", "assistant", "tool", "args", "result", "userId", "description"] as const;
type SlotName = (typeof slotNames)[number];

const ordinary: Slots = {
  system: "Be brief.",
  user: "Weather?",
  assistant: "I look.",
  tool: "search",
  args: "Paris",
  result: "rain",
  userId: "1",
  description: "finds",
};

const turns = <Turn>(turn: (id: string) => readonly Turn[]) =>
  Array.from({ length: TURNS }, (_, i) => turn(`call_${i}`)).flat();

const formats: readonly { readonly name: string; readonly path: string; readonly body: (slots: Slots) => object }[] = [
  {
    name: "chat-completions",
    path: "/v1/chat/completions",
    body: (s) => ({
      user: `user_${s.userId}`,
      metadata: { user_id: `user_${s.userId}` },
      messages: [
        { role: "system", content: s.system },
        { role: "user", content: s.user },
        ...turns((id) => [
          {
            role: "assistant",
            content: s.assistant,
            tool_calls: [{ id, type: "function", function: { name: s.tool, arguments: s.args } }],
          },
          { role: "tool", tool_call_id: id, content: s.result },
        ]),
        { role: "assistant", content: s.assistant },
        { role: "user", content: s.user },
      ],
      tools: [{ type: "function", function: { name: s.tool, description: s.description, parameters: {} } }],
    }),
  },
  {
    name: "responses",
    path: "/v1/responses",
    body: (s) => ({
      user: `user_${s.userId}`,
      metadata: { user_id: `user_${s.userId}` },
      instructions: s.system,
      input: [
        { role: "user", content: s.user },
        ...turns((call_id) => [
          { type: "message", role: "assistant", content: [{ type: "output_text", text: s.assistant }] },
          { type: "function_call", call_id, name: s.tool, arguments: s.args },
          { type: "function_call_output", call_id, output: s.result },
        ]),
        { role: "assistant", content: s.assistant },
        { role: "user", content: s.user },
      ],
      tools: [{ type: "function", name: s.tool, description: s.description, parameters: {} }],
    }),
  },
  {
    name: "messages",
    path: "/v1/messages",
    body: (s) => ({
      metadata: { user_id: `user_${s.userId}` },
      system: s.system,
      messages: [
        { role: "user", content: s.user },
        ...turns((id) => [
          {
            role: "assistant",
            content: [
              { type: "text", text: s.assistant },
              { type: "tool_use", id, name: s.tool, input: { q: s.args } },
            ],
          },
          { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: s.result }] },
        ]),
        { role: "assistant", content: s.assistant },
        { role: "user", content: s.user },
      ],
      tools: [{ name: s.tool, description: s.description, input_schema: {} }],
    }),
  },
  {
    name: "gemini",
    path: "/v1beta/models/m:generateContent",
    body: (s) => ({
      labels: { user_id: `user_${s.userId}` },
      systemInstruction: { parts: [{ text: s.system }] },
      contents: [
        { role: "user", parts: [{ text: s.user }] },
        ...turns((id) => [
          {
            role: "model",
            parts: [{ text: s.assistant }, { functionCall: { id, name: s.tool, args: { q: s.args } } }],
          },
          { role: "user", parts: [{ functionResponse: { id, name: s.tool, response: { output: s.result } } }] },
        ]),
        { role: "model", parts: [{ text: s.assistant }] },
        { role: "user", parts: [{ text: s.user }] },
      ],
      tools: [{ functionDeclarations: [{ name: s.tool, description: s.description, parameters: {} }] }],
    }),
  },
];

function judged(request: ParsedRequest) {
  const about = {
    header: () => undefined,
    headerNames: [],
    pathSession: undefined,
    query: () => undefined,
    field: request.field,
  };
  identify(about, request.conversation, sign);
  return mergeHistory(undefined, request.conversation, judgeWith());
}

describe.each(formats)("a request of $name", ({ path, body }) => {
  const protocol = protocolFor({ method: "POST", path, header: () => undefined });
  const read = (text: string) => {
    const request = protocol?.parse(text);
    if (request === undefined) throw new Error(`${path} does not read ${text.slice(0, 200)}`);
    return judged(request);
  };

  it("is read and followed to its last turn", () => {
    expect(read(JSON.stringify(body(ordinary))).tip.total).toBeGreaterThanOrEqual(TURNS);
  });

  const growingIn = (slot: SlotName, units: readonly string[], lengths: readonly number[]) =>
    units.flatMap((unit) => {
      const work = (size: number) => {
        const text = JSON.stringify(body({ ...ordinary, [slot]: `${unit.repeat(size / unit.length)}!` }));
        return () => read(text);
      };
      return growsBeyondLinear(work, lengths).map((how) => `${JSON.stringify(unit)}, ${how}`);
    });

  it.each(slotNames)("costs no more than in line with the text in its slot %s", (slot) => {
    expect(growingIn(slot, alphabets, sizes)).toEqual([]);
  });

  it.each(slotNames)("costs no more than in line with megabytes of text in its slot %s", (slot) => {
    expect(growingIn(slot, largeAlphabets, largeSizes)).toEqual([]);
  });
});

it("a reader whose work grows with the cube of a text is found out", () => {
  const work = (size: number) => {
    const text = `${" ".repeat(size)}!`;
    return () => /\s+\s+$/.test(text);
  };
  // Eightfold work is told from linear work on any machine; fourfold is not, on one that others use, too.
  expect(growsBeyondLinear(work, [256, 512])).toHaveLength(1);
});
