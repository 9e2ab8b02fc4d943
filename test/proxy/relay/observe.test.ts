import { describe, expect, it } from "vitest";
import type { Runaway } from "../../../src/runaway/runaway.ts";
import {
  type Answer,
  type AnswerReader,
  answerReader,
  fallbackProtocol as chatCompletions,
} from "../../../src/protocols/protocols.ts";
import type { AnswerTap, Observed } from "../../../src/evaluation/evaluation.ts";
import { observe } from "../../../src/proxy/relay/observe.ts";
import type { AnswerSink, Fields } from "../../../src/transport/transport.ts";

const answer: Answer = {
  id: "chatcmpl-1",
  step: { calls: [], text: "hi", heard: [] },
  finishReason: "stop",
  usage: undefined,
};

function observed() {
  const passed: unknown[] = [];
  const looked: string[] = [];
  const done: unknown[] = [];
  const patience = Promise.resolve();
  const sink: AnswerSink = {
    head: (status, fields) => passed.push("head", status, fields),
    write(bytes) {
      passed.push(bytes);
      return patience;
    },
    end: () => passed.push("end"),
    fail: (reason) => passed.push("fail", reason),
  };
  const make = (contentType: string): AnswerReader => {
    looked.push(contentType);
    return {
      framing: undefined,
      push: (bytes) => looked.push(String(bytes)),
      readTo: () => 0,
      end: () => answer,
      close: () => undefined,
    };
  };
  return { sink: observe(sink, { tap: make }, (how) => done.push(how)), passed, looked, done, patience };
}

const json: Fields = { "content-type": "application/json" };
const bytes = Buffer.from("ab");
const endOfTick = () => Promise.resolve();

describe("an answer that is observed", () => {
  it("passes untouched, its sink's wish for patience comes back, and it is read for its content type, behind its end", async () => {
    const { sink, passed, patience, looked, done } = observed();
    sink.head(200, json);
    expect(sink.write(bytes)).toBe(patience);
    sink.end();
    expect(passed).toEqual(["head", 200, json, bytes, "end"]);
    expect([passed[2], passed[3]]).toEqual([json, bytes]);
    expect(done).toEqual([]);
    sink.fail("late");
    await endOfTick();
    expect(looked).toEqual(["application/json", "ab"]);
    expect(done).toEqual([{ answer, status: 200 }]);
  });

  it.each([
    { when: "within it", head: true, status: 200 },
    { when: "before its head", head: false, status: 0 },
  ])("is none where it broke off $when", ({ head, status }) => {
    const { sink, passed, done } = observed();
    if (head) sink.head(200, json);
    sink.fail("gone");
    expect(passed.slice(-2)).toEqual(["fail", "gone"]);
    expect(done).toEqual([{ answer: undefined, status, failure: "gone" }]);
  });
});

describe("an answer that has run away", () => {
  const event = (delta: object) => `data: ${JSON.stringify({ id: "c1", choices: [{ index: 0, delta }] })}\n\n`;
  const call = (name: string, args: string) =>
    event({ tool_calls: [{ index: 0, id: "x", function: { name, arguments: args } }] });

  function cut(found: () => Runaway | undefined) {
    const passed: string[] = [];
    const done: Observed[] = [];
    let stopped = 0;
    const sink: AnswerSink = {
      head: (_, fields) => passed.push(JSON.stringify(fields)),
      write(bytes) {
        passed.push(Buffer.from(bytes).toString());
        return undefined;
      },
      end: () => passed.push("end"),
      fail: () => passed.push("fail"),
    };
    const stop = () => {
      stopped += 1;
    };
    const runaway = { listener: () => undefined, runaway: found, stop };
    const fold: AnswerTap = (...given) => answerReader(chatCompletions, ...given);
    return {
      sink: observe(sink, { tap: fold, runaway }, (how) => done.push(how)),
      passed,
      done,
      stopped: () => stopped,
    };
  }

  const runaway = { laps: 6, blockTokens: 4, chars: 150 };
  const stream: Fields = { "content-type": "text/event-stream", "content-length": "1000" };

  it("ends behind its last whole event as a valid one, is told so, and is not wanted any more", () => {
    let isFound = false;
    const { sink, passed, done, stopped } = cut(() => (isFound ? runaway : undefined));
    sink.head(200, stream);
    const [first, second, third] = [event({ content: "So:" }), call("search", '{"q":"a'), call("search", "a a")];
    sink.write(Buffer.from(first));
    isFound = true;
    sink.write(Buffer.from(second + third.slice(0, 20)));
    sink.write(Buffer.from(third.slice(20)));
    sink.end();
    const [head, before, last = "", ...rest] = passed;
    expect(head).toBe('{"content-type":"text/event-stream"}');
    expect(before).toBe(first);
    expect(last.startsWith(second + event({}).slice(0, 6))).toBe(true);
    expect(last).not.toContain("a a");
    expect(last.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(rest).toEqual(["end"]);
    expect(stopped()).toBe(1);
    expect(done).toMatchObject([
      {
        status: 200,
        runaway,
        answer: { finishReason: "stop", step: { text: "So:", calls: [{ tool: "search", args: '{"q":"a"}' }] } },
      },
    ]);
  });

  it("goes on where it cannot be ended well", () => {
    const { sink, passed, stopped } = cut(() => runaway);
    sink.head(200, json);
    sink.write(bytes);
    sink.end();
    expect(passed.slice(1)).toEqual(["ab", "end"]);
    expect(stopped()).toBe(0);
  });
});
