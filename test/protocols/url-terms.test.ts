import { describe, expect, it } from "vitest";
import { answerReader, splitStream } from "../../src/protocols/protocols.ts";
import { answersOf } from "../../src/protocols/answers.ts";
import { answers, chatCompletions, requests } from "../../src/protocols/chat-completions/chat-completions.ts";
import { ndjson, sse } from "../../src/protocols/framing.ts";
import type { Protocol } from "../../src/protocols/protocol.ts";
import { requestsOf } from "../../src/protocols/requests.ts";

/** Chat completions of an API that says model and streaming in its URL, and streams in lines unless it is asked for events. */
const protocol: Protocol = {
  ...chatCompletions,
  ...requestsOf([/(^|\/)models\/(?<model>[^/:]+):(?:chat|(?<stream>streamChat))$/], requests),
  ...answersOf({ ...answers, framing: (target) => (target.endsWith("?alt=sse") ? sse : ndjson) }),
};

const body = JSON.stringify({ model: "in-body", messages: [{ role: "user", content: "Go." }] });
const read = (target: string) => protocol.parse(body, target) ?? expect.fail("not understood");
const stamp = { id: "1", created: 1 };
const final = { text: "Over.", doneTool: undefined };

describe("a format whose URL says which model is asked and how it answers", () => {
  it.each([
    { target: "/v1/models/small:chat", model: "small", streams: false },
    { target: "/v1/models/small%2F2:streamChat?alt=sse", model: "small/2", streams: true },
    { target: "/v1/models/%zz:chat", model: "%zz", streams: false },
    { target: "", model: "in-body", streams: false },
  ])("is read at '$target'", ({ target, model, streams }) => {
    expect(read(target)).toMatchObject({ target, model, streams });
  });

  it("has another thread for another model", () => {
    const { variant } = protocol.delta;
    expect(variant("/v1/models/small:chat")).not.toBe(variant("/v1/models/big:chat"));
    expect(variant("/v1/models/small:chat")).not.toBe(variant("/v1/models/small:streamChat"));
    expect(variant("/v1/models/small:chat?key=1")).toBe(variant("/v1/models/small:chat?key=2"));
    expect(chatCompletions.delta.variant("/v1/chat/completions?key=1")).toBe("");
  });

  it("counts a request for another model as no retry", () => {
    expect(read("/v1/models/small:chat").samplingKey).not.toBe(read("/v1/models/big:chat").samplingKey);
  });
});

describe("a format that streams in lines", () => {
  const target = "/v1/models/small:streamChat";
  const reply = protocol.reply(read(target), final, stamp);

  it("writes its own answer so", () => {
    expect(reply.contentType).toBe("application/x-ndjson");
    expect(reply.body.split("\n").filter((line) => line.startsWith("{")).length).toBeGreaterThan(1);
    const { contentType } = protocol.reply(read(`${target}?alt=sse`), final, stamp);
    expect(contentType).toBe(sse.contentType);
  });

  it("writes an error so that ends a stream", () => {
    const failure = { code: "loop_detected", status: 400, message: "Enough." } as const;
    const { body: text } = protocol.error(failure, "event", target);
    expect(JSON.parse(text)).toMatchObject({ error: { message: "Enough." } });
  });

  it("reads an answer in whatever pieces it comes, and ends one that is cut off", () => {
    const bytes = Buffer.from(reply.body);
    for (let at = 0; at <= bytes.length; at += 1) {
      const reader = answerReader(protocol, reply.contentType, undefined, target);
      reader.push(bytes.subarray(0, at));
      reader.push(bytes.subarray(at));
      expect(reader.end()?.step.text).toBe("Over.");
    }
    const reader = answerReader(protocol, reply.contentType, undefined, target);
    reader.push(Buffer.from(`${reply.body.split("\n").slice(0, 2).join("\n")}\n`));
    expect(reader.close()).toMatch(/"finish_reason":"stop".*\n\[DONE\]\n$/);
  });

  it("goes on in its lines where another answer was stopped", () => {
    const first = splitStream(protocol.decoder(target), false);
    first.push(Buffer.from(`${reply.body.split("\n").slice(0, 2).join("\n")}\n`), () => undefined);
    const texts: string[] = [];
    const second = splitStream(protocol.resume(first.state(), first.state()), false);
    const other = protocol.reply(read(target), { ...final, text: "Done." }, stamp);
    second.push(Buffer.from(other.body), ({ bytes }) => texts.push(Buffer.from(bytes).toString()));
    expect(texts.join("")).toContain('"content":"\\n\\nDone."');
    expect(texts.every((text) => text.startsWith("{") || text === "[DONE]\n")).toBe(true);
  });
});
