import { describe, expect, it } from "vitest";
import type { Answer, AnswerReader } from "../../../src/protocols/protocols.ts";
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
      isStream: () => false,
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
});
