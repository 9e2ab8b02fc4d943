import { describe, expect, it } from "vitest";
import { drawLane as drawLaneOf } from "../../src/page/assets/drawing.js";
import { readPageFile } from "../../src/page/files.ts";
import { reportParts } from "../../src/page/page.ts";

interface Cell extends Readonly<Record<"letter" | "outcome", string>> {
  readonly inLoop: boolean;
  readonly acts: readonly object[];
}
type Group = Readonly<Record<"from" | "to" | "laps", number> & Record<"inLoop" | "sameOutcomes", boolean>>;
const drawLane = (steps: readonly object[], findings: readonly object[]) =>
  drawLaneOf(steps, findings) as { readonly cells: readonly Cell[]; readonly groups: readonly Group[] };

/** A step for each letter; `a` and `A` are the same call, and the capital has another result. `.` is like no other. */
const stepsOf = (letters: string) =>
  [...letters].map((letter, index) => {
    const signature = letter === "." ? `once-${index}` : letter.toLowerCase();
    const outcome = { signature: letter, class: letter === "f" ? "failed" : "ok" } as const;
    return { index, signature, calls: [{ tool: `tool-${letter}`, signature, outcome }], said: "", heard: "nothing" };
  });

const finding = (step: number, evidence: readonly number[]) => ({
  step,
  evidence,
  detector: "repeated-call",
  rung: "nudge",
  count: evidence.length,
  note: "",
});

const drawn = (letters: string, findings: readonly object[] = []) => {
  const { cells, groups } = drawLane(stepsOf(letters), findings);
  return {
    letters: cells.map(({ letter }) => letter || ".").join(""),
    laps: groups.map(({ from, to, laps }) => `${from}-${to}×${laps}`).join(" "),
  };
};

describe("a lane", () => {
  it.each([
    { name: "equal steps share a letter, in the order of appearance", steps: "y.xyx", letters: "A.BAB", laps: "0-4×1" },
    { name: "a cycle of two", steps: "..abababc", letters: "..ABABAB.", laps: "0-1×1 2-7×3 8-8×1" },
    { name: "a cycle with a repetition inside", steps: "aabaabaab", letters: "AABAABAAB", laps: "0-8×3" },
    { name: "a lap that was begun and not ended stands beside", steps: "ababa", letters: "ABABA", laps: "0-3×2 4-4×1" },
    { name: "nothing at all", steps: "", letters: "", laps: "" },
  ])("shows: $name", ({ steps, letters, laps }) => {
    expect(drawn(steps)).toEqual({ letters, laps });
  });

  it("tells laps with the same results from a call whose results change", () => {
    const told = (letters: string) => drawLane(stepsOf(letters), []).groups.map(({ sameOutcomes }) => sameOutcomes);
    expect([told("aaaa"), told("aAaA")]).toEqual([[true], [false]]);
  });

  it("marks what a finding rests on, and puts it at the step that completed it", () => {
    const { cells, groups } = drawLane(stepsOf("..aaa."), [finding(4, [2, 3, 4])]);
    expect(cells.map(({ inLoop }) => inLoop)).toEqual([false, false, true, true, true, false]);
    expect(cells.map(({ acts }) => acts.length)).toEqual([0, 0, 0, 0, 1, 0]);
    expect(groups.map(({ inLoop }) => inLoop)).toEqual([false, true, false]);
  });

  it("shows the worst result of a step with several calls, and texts that are said again", () => {
    const [ok, failed] = stepsOf("of").flatMap(({ calls }) => calls);
    const said = { index: 1, signature: "", calls: [], said: "s", heard: "user" };
    const calls = [ok, failed].filter((call) => call !== undefined);
    const { cells } = drawLane([{ index: 0, signature: "x", calls, said: "", heard: "nothing" }, said, said], []);
    expect(cells.map(({ outcome }) => outcome)).toEqual(["failed", "none", "none"]);
    expect(cells.map(({ letter }) => letter)).toEqual(["", "A", "A"]);
  });
});

const hostile = `</script><script>globalThis.ran = true</script><!--<img src=x onerror="globalThis.ran = true">`;
const conversation = { id: hostile, task: hostile, steps: [], findings: [] };

describe("a report", () => {
  it("holds any text as data that cannot end its element", async () => {
    const { begin, piece, end } = await reportParts(readPageFile, hostile);
    const text = piece(conversation);
    expect(text.match(/<\/?\w+|<!--/g)).toEqual(["<script", "</script"]);
    expect(JSON.parse(/>(.*)</s.exec(text)?.[1] ?? "")).toEqual(conversation);
    expect(begin).not.toContain(hostile);
    expect(begin).toContain("<title>&lt;/script&gt;");
    expect(end.match(/<\/script/g)).toHaveLength(1);
  });

  it("loads nothing and runs its own script alone", async () => {
    const { begin, end } = await reportParts(readPageFile, "x");
    expect(begin).toMatch(/default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'/);
    expect(begin + end).not.toMatch(/\s(?:src|href)=["']?(?!\$)\w+:/);
    expect(end).not.toMatch(/^(?:import|export) /m);
  });
});
