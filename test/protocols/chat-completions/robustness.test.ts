import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerReader, protocolFor } from "../../../src/protocols/protocols.ts";
import { sseReader, sseText } from "../../../src/sse/sse.ts";
import { body, called, result, said, user } from "./support.ts";
import { mutated } from "../../support/builders/mutated.ts";

const at = (method: string, path: string) => ({ method, path, header: () => undefined });
const protocol = protocolFor(at("POST", "/v1/chat/completions"));
if (protocol === undefined) throw new Error("no protocol");

const request = JSON.parse(
  body(
    [
      user("q"),
      called(["a", "x"]),
      result("a", "r"),
      said('{"actions":[{"action":"x"}]}'),
      user([{ type: "text", text: "u" }]),
      called(["b", "AgentOutput", '{"memory":"m","action":[{"click":{"index":5}}]}']),
      user("Action error: gone"),
    ],
    {
      tools: [
        { type: "function", function: { name: "done", parameters: { type: "object" } } },
        {
          type: "function",
          function: {
            name: "AgentOutput",
            parameters: { properties: { action: { items: { anyOf: [{ properties: { end: {} } }] } } } },
          },
        },
      ],
      functions: [{ name: "f" }],
      stream: true,
      stream_options: { include_usage: true },
      response_format: { type: "json_schema", json_schema: { schema: { type: "object" } } },
    },
  ),
);
const answer = {
  choices: [
    {
      index: 0,
      finish_reason: "stop",
      message: {
        content: "x",
        tool_calls: [{ id: "a", function: { name: "x", arguments: "{}" } }],
        function_call: { name: "y" },
      },
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 2 },
};

function exercise(text: string): void {
  const ask = protocol?.parse(text);
  if (ask === undefined) return;
  const changed = protocol?.rewrite(ask, [
    { kind: "note", step: 0, text: "n" },
    { kind: "note", step: 1, text: "n" },
    { kind: "preamble", text: "p" },
    { kind: "finish", tool: "done" },
  ]);
  protocol?.rewrite(ask, [{ kind: "finish", tool: "end" }]);
  const again = protocol?.parse(changed ?? "");
  expect(again?.conversation.steps.map(({ calls }) => calls.length)).toEqual(
    ask.conversation.steps.map(({ calls }) => calls.length),
  );
  for (const doneTool of ["done", "end", undefined])
    protocol?.reply(ask, { text: "over", doneTool }, { id: "1", created: 1 });
}

describe("never throws", () => {
  it("any JSON and any text is read without a throw", () => {
    fc.assert(fc.property(fc.oneof(fc.json(), fc.string()), exercise));
  });

  it("a request with anything anywhere is read without a throw", () => {
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>(JSON.parse('{"__proto__":{"role":"user"}}'), "", null, -1),
    );
    fc.assert(
      fc.property(anything, fc.nat(), anything, fc.nat(), (one, at, other, there) => {
        exercise(JSON.stringify(mutated(mutated(request, one, at), other, there)));
      }),
    );
  });

  it("an answer with anything anywhere is read without a throw", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.nat(),
        fc.constantFrom("application/json", "text/event-stream"),
        (value, at, type) => {
          const fold = answerReader(protocol, type);
          const text = JSON.stringify(mutated(answer, value, at)).replace(
            '"message"',
            type.includes("json") ? '"message"' : '"delta"',
          );
          fold.push(new TextEncoder().encode(type.includes("json") ? text : `data: ${text}\n\ndata: [DONE]\n\n`));
          fold.end();
        },
      ),
    );
  });

  it("any bytes in any pieces are read without a throw", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array()),
        fc.constantFrom("application/json", "text/event-stream"),
        (pieces, type) => {
          const fold = answerReader(protocol, type);
          for (const piece of pieces) fold.push(piece);
          expect(fold.end()).toBeUndefined();
        },
      ),
    );
  });
});

it("finds the protocol behind any prefix, and none for what is not guarded", () => {
  expect(protocolFor(at("POST", "/proxy/openai/v1/chat/completions"))).toBe(protocol);
  expect(protocolFor(at("GET", "/v1/chat/completions"))).toBeUndefined();
  expect(protocolFor(at("POST", "/v1/embeddings"))).toBeUndefined();
});

describe("server-sent events", () => {
  const event = fc.record({
    event: fc.option(fc.constantFrom("a", "error"), { nil: undefined }),
    data: fc.string({ unit: "grapheme" }),
  });

  it("come back from their text, however it is cut", () => {
    fc.assert(
      fc.property(fc.array(event), fc.array(fc.nat()), (events, cuts) => {
        const bytes = new TextEncoder().encode(events.map(sseText).join(""));
        const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted(
          (one, other) => one - other,
        );
        const reader = sseReader(10_000);
        const read = ends.flatMap((end, index) => reader.push(bytes.subarray(ends[index - 1] ?? 0, end)) ?? []);
        const lines = events.map((each) => ({ ...each, data: each.data.replaceAll(/\r\n|\r/g, "\n") }));
        expect([...read, ...reader.end()]).toEqual(lines);
      }),
    );
  });

  it("skip a byte order mark, comments and unknown fields", () => {
    const reader = sseReader(100);
    const bytes = new TextEncoder().encode("\ufeff: hi\nid: 1\nretry: x\nfoo: bar\ndata:a\ndata: b\n\n");
    expect(reader.push(bytes)).toEqual([{ event: undefined, data: "a\nb" }]);
  });

  it("end for good with one that outgrows the bound", () => {
    const reader = sseReader(10);
    expect(reader.push(new TextEncoder().encode(`data: ${"x".repeat(20)}`))).toBeUndefined();
    expect(reader.push(new TextEncoder().encode("\n\ndata: x\n\n"))).toBeUndefined();
    expect(reader.end()).toEqual([]);
  });
});
