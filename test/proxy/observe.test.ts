import { describe, expect, it } from "vitest";
import type { Answer, AnswerFold } from "../../src/protocols/protocols.ts";
import { observe } from "../../src/proxy/observe.ts";
import type { AnswerSink, Fields } from "../../src/transport/transport.ts";

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
  const make = (contentType: string): AnswerFold => {
    looked.push(contentType);
    return { push: (bytes) => looked.push(String(bytes)), end: () => answer, close: () => undefined };
  };
  return { sink: observe(sink, { fold: make }, (how) => done.push(how)), passed, looked, done, patience };
}

const json: Fields = { "content-type": "application/json" };
const bytes = Buffer.from("ab");

describe("observe", () => {
  it("passes everything on untouched, and the sink's wish for patience back", () => {
    const { sink, passed, patience } = observed();
    sink.head(200, json);
    expect(sink.write(bytes)).toBe(patience);
    sink.end();
    expect(passed).toEqual(["head", 200, json, bytes, "end"]);
    expect(passed[2]).toBe(json);
    expect(passed[3]).toBe(bytes);
  });

  it("shows the bytes to a fold made for the content type, and tells the answer", () => {
    const { sink, looked, done } = observed();
    sink.head(200, json);
    sink.write(bytes);
    sink.end();
    expect(looked).toEqual(["application/json", "ab"]);
    expect(done).toEqual([{ answer, status: 200 }]);
  });

  it.each([
    { name: "an error", status: 429, fields: json },
    { name: "a redirect", status: 307, fields: json },
    { name: "a coded answer", status: 200, fields: { ...json, "content-encoding": "gzip" } },
  ])("does not look at $name", ({ status, fields }) => {
    const { sink, looked, done } = observed();
    sink.head(status, fields);
    sink.write(bytes);
    sink.end();
    expect(looked).toEqual([]);
    expect(done).toEqual([{ answer: undefined, status }]);
  });

  it("tells of no answer when it broke off", () => {
    const { sink, passed, done } = observed();
    sink.head(200, json);
    sink.fail("gone");
    expect(passed.slice(3)).toEqual(["fail", "gone"]);
    expect(done).toEqual([{ answer: undefined, status: 200, failure: "gone" }]);
  });

  it("tells of status 0 when no head ever came", () => {
    const { sink, done } = observed();
    sink.fail("unreachable");
    expect(done).toEqual([{ answer: undefined, status: 0, failure: "unreachable" }]);
  });

  it("tells of the end once, even if a failure follows it", () => {
    const { sink, done } = observed();
    sink.head(200, json);
    sink.end();
    sink.fail("late");
    expect(done).toEqual([{ answer, status: 200 }]);
  });
});
