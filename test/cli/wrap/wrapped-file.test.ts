import { describe, expect, it } from "vitest";
import { changedFor, type Holder, restored } from "../../../src/cli/wrap/wrapped-file.ts";

const original = '{ "url": "https://api.example/v1", "key": "sk-secret" }\n';
const holder = (pid: number): Holder => ({
  pid,
  guard: `http://127.0.0.1:${pid}`,
  values: [{ at: ["url"], value: `http://127.0.0.1:${pid}/v1` }],
});
const urlIn = (text: string): unknown => JSON.parse(text).url;

describe("a file that wraps change", () => {
  it("points at the guard, and is given back to the byte", () => {
    const one = changedFor(original, "json", undefined, [holder(1)]);
    expect(urlIn(one.text)).toBe("http://127.0.0.1:1/v1");
    expect(changedFor(one.text, "json", one.journal, [])).toEqual({ text: original, journal: undefined });
  });

  it("points at the guard of the newest wrap that lives", () => {
    const one = changedFor(original, "json", undefined, [holder(1)]);
    const two = changedFor(one.text, "json", one.journal, [holder(1), holder(2)]);
    expect(urlIn(two.text)).toBe("http://127.0.0.1:2/v1");
    const firstEnds = changedFor(two.text, "json", two.journal, [holder(2)]);
    expect(urlIn(firstEnds.text)).toBe("http://127.0.0.1:2/v1");
    const secondEnds = changedFor(two.text, "json", two.journal, [holder(1)]);
    expect(urlIn(secondEnds.text)).toBe("http://127.0.0.1:1/v1");
    expect(changedFor(secondEnds.text, "json", secondEnds.journal, []).text).toBe(original);
  });

  it("keeps what the agent itself has written meanwhile", () => {
    const { text, journal } = changedFor(original, "json", undefined, [holder(1)]);
    const written = text.replace('"key"', '"model": "gpt", "key"');
    expect(journal && restored(written, journal)).toBe(original.replace('"key"', '"model": "gpt", "key"'));
  });

  it("leaves a value alone that is no longer ours", () => {
    const { text, journal } = changedFor(original, "json", undefined, [holder(1)]);
    const written = text.replace("http://127.0.0.1:1/v1", "https://mine.example/v1");
    expect(journal && restored(written, journal)).toBe(written);
  });

  it("undoes what an earlier wrap had set, should it still stand there", () => {
    const one = changedFor(original, "json", undefined, [holder(1)]);
    const two = changedFor(one.text, "json", one.journal, [holder(1), holder(2)]);
    const last = changedFor(two.text, "json", two.journal, [holder(2)]);
    const agentWroteOld = `${one.text} `;
    expect(last.journal && restored(agentWroteOld, last.journal)).toBe(`${original} `);
  });

  it("has nothing of its other contents in the journal", () => {
    const { journal } = changedFor(original, "json", undefined, [holder(1)]);
    expect(JSON.stringify(journal)).not.toContain("sk-secret");
  });
});
