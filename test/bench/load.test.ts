import { describe, expect, it } from "vitest";
import { answers, payloadBytes } from "../../bench/load/answers.ts";
import { askedFor, runNumber } from "../../bench/load/marks.ts";
import { median, quantile } from "../../bench/load/statistics.ts";
import { transcript } from "../../bench/load/transcript.ts";
import type { Shape } from "../../bench/load/turns.ts";
import { messageReader } from "../../bench/load/wire.ts";

const shape: Shape = { name: "short", turns: 4, bytesPerTurn: 1_200, events: 12 };

const bodyAt = (turn: number, run: number) => {
  const requests = transcript(shape, true);
  requests.begin(runNumber(run));
  return Buffer.concat(requests.body(turn));
};

/** What a reader makes of these bytes, cut in two. */
function readCut(bytes: Buffer, at: number) {
  const seen = { heads: 0, body: "", ends: 0 };
  const { read } = messageReader({
    head: () => {
      seen.heads += 1;
    },
    body: (piece) => {
      seen.body += piece.toString();
    },
    end: () => {
      seen.ends += 1;
    },
    endless: () => undefined,
  });
  read(bytes.subarray(0, at));
  read(bytes.subarray(at));
  return seen;
}

describe("the load of the benchmarks", () => {
  it.each([
    { name: "with a length", bytes: answers(shape).json(2, runNumber(7)), payload: payloadBytes(shape, 2, false) },
    { name: "in chunks", bytes: answers(shape).streamed(2, runNumber(7)), payload: payloadBytes(shape, 2, true) },
  ])("reads an answer $name alike wherever it is cut", ({ bytes, payload }) => {
    const whole = readCut(bytes, bytes.length);
    expect(Buffer.byteLength(whole.body)).toBe(payload);
    for (let at = 0; at < bytes.length; at += 1) expect(readCut(bytes, at)).toEqual({ ...whole, heads: 1, ends: 1 });
  });

  it("answers every request with the call that the next request carries", () => {
    for (let turn = 0; turn < shape.turns - 1; turn += 1) {
      expect(askedFor(bodyAt(turn, 42))).toEqual({ run: runNumber(42), turn });
      const answer = JSON.parse(answers(shape).json(turn, runNumber(42)).toString().split("\r\n\r\n")[1] ?? "");
      const { role, content, tool_calls } = answer.choices[0].message;
      const { messages } = JSON.parse(bodyAt(turn + 1, 42).toString());
      expect(messages.at(-2)).toEqual({ role, content, tool_calls });
    }
  });

  it("finds medians and quantiles", () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3]), quantile([1, 2, 3, 4], 0.99)]).toEqual([2, 2.5, 4]);
  });
});
