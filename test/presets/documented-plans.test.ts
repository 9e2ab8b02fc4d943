import { describe, expect, it, vi } from "vitest";
import { type JudgeScript, planRig } from "./planner.ts";
import { told } from "./rig.ts";

/** What is clicked, or done with another tool, and what it shows. */
type Act = readonly [element: string, shows: string, tool?: string];

/** The requests of an agent that acts like this, whatever its model says, under a policy that waits for the judge. */
async function walk(acts: readonly Act[], judge: JudgeScript, terms: object = {}) {
  const rig = await planRig(() => ({ kind: "text", text: "Hm." }), {
    judge,
    policy: { judge: { wait: 5_000, ...terms } },
  });
  const messages: object[] = [
    { role: "system", content: "You are an agent." },
    { role: "user", content: "Make a new entry." },
  ];
  const turns: { headers: Headers; note: string }[] = [];
  for (const [i, [element, shows, name = "click"]] of acts.entries()) {
    const call = { name, arguments: JSON.stringify({ element }) };
    const calls = [{ id: `call_${i}`, type: "function", function: call }];
    messages.push({ role: "assistant", content: null, tool_calls: calls });
    messages.push({ role: "tool", tool_call_id: `call_${i}`, content: shows });
    const body = JSON.stringify({ model: "gpt-4o", messages });
    const { headers } = (await rig.ask?.(rig.url, body, { "x-unloop-session": "plan" })) ?? expect.fail("no guard");
    const sent = rig.upstream.requests.at(-1)?.bytes.toString() ?? "";
    const isTold = ["nudge", "force-done"].includes(headers.get("x-unloop-verdict") ?? "");
    turns.push({ headers, note: isTold ? (sent.split("[unloop]").at(-1) ?? "").replaceAll("\\", "") : "" });
  }
  return { rig, turns };
}

/** What the document of the planning system (002) says, in our words; what is played; and what becomes of each turn. */
interface Row {
  readonly says: string;
  readonly acts: readonly Act[];
  readonly judge: JudgeScript;
  readonly turns: string;
  /** What the last word contains. */
  readonly word?: string;
  readonly policy?: object;
}

const page = (name: string): Act => [name, `The page ${name}, with things of its own to see.`];
const pages = (...names: readonly string[]) => names.map(page);
const dialog: Act = ["New", 'A dialog "New entry" has opened.'];

/** A score for each state, and what the judge sees that could be tried there. */
const scores =
  (distances: readonly number[], more: (index: number) => object = () => ({ options: [] })): JudgeScript =>
  (_, index) => ({
    distance_score: distances[Math.min(index, distances.length - 1)],
    reasoning: "So it looks.",
    ...more(index),
  });
const left =
  (...options: readonly (readonly string[])[]) =>
  (index: number) => ({ options: options[index] ?? [] });

const decisions: readonly Row[] = [
  {
    says: "the goal is met: done, with success",
    acts: pages("a", "b"),
    judge: scores([3, 10]),
    turns: "ok force-done",
    word: "success=true",
  },
  { says: "progress: the action is retained", acts: pages("a", "b", "c"), judge: scores([3, 5, 8]), turns: "ok ok ok" },
  {
    says: "no progress, and options left: retained, and the next one is tried",
    acts: pages("a", "b"),
    judge: scores([3, 3], left([], ["press OK"])),
    turns: "ok nudge",
    word: 'Do this next: "press OK".',
  },
  {
    says: "no progress, all explored: reverted",
    acts: pages("a", "b"),
    judge: scores([3, 3]),
    turns: "ok nudge",
    word: "Undo it",
  },
];

const reversals: readonly Row[] = (
  [
    {
      says: "a checkbox is clicked again",
      acts: [page("a"), ["checkbox Agree", "Agree is checked, says the form."]],
      word: "click the same place once more",
    },
    { says: "a dialog is left by Cancel or Close", acts: [page("a"), dialog], word: 'click "Cancel" or "Close"' },
    {
      says: "typed text is cleared",
      acts: [page("a"), ["Ann", "The field Name says Ann now.", "type"]],
      word: "clear the field (Ctrl+A, Delete)",
    },
    {
      says: "a menu is closed by Escape or a click elsewhere",
      acts: [page("a"), ["menu File", "A menu with Open and Save."]],
      word: "press Escape, or click elsewhere",
    },
    {
      says: "a window is closed by its X or Alt+F4",
      acts: [page("a"), ["Editor", "The editor's window is there.", "launch_app"]],
      word: "close the window (its X, or Alt+F4)",
    },
    {
      says: "any other click: the states are compared",
      acts: pages("a", "b"),
      word: "compare the state now with the one before it",
    },
  ] satisfies readonly Pick<Row, "says" | "acts" | "word">[]
).map((row): Row => ({ ...row, judge: scores([3, 3]), turns: "ok nudge" }));

const exploration: readonly Row[] = [
  {
    says: "in a dialog the form is filled in, other values are tried, and only then Cancel is clicked",
    acts: [
      page("a"),
      dialog,
      ["OK", "The dialog says that a name is missing."],
      ["Ann", "The dialog says that Ann is taken.", "type"],
    ],
    judge: scores([3], left([], ["fill in the form", "try another name"], ["try another name"], [])),
    turns: "ok nudge nudge nudge",
    word: 'click "Cancel" or "Close"',
  },
  {
    says: "what was undone is off the stack, and the plan goes on from there",
    acts: [page("a"), dialog, ["Cancel", "The page a, with things of its own to see."], page("b")],
    judge: scores([3, 3, 3, 6], (i) => (i === 2 ? { options: ["look at b"] } : { options: [] })),
    turns: "ok nudge ok ok",
  },
];

const nameless: readonly Row[] = [
  {
    says: "a judge that names no options: twice to try on, then to undo",
    acts: pages("a", "b", "c", "d"),
    judge: scores([3], () => ({})),
    turns: "ok nudge nudge nudge",
    word: "Undo it",
  },
];

const cancelling: readonly Row[] = [
  {
    says: "the same state three times",
    acts: [page("a"), ["x", page("a")[1]], ["y", page("a")[1]]],
    judge: scores([3, 4, 5]),
    turns: "ok ok force-done",
    word: "(same state: 3)",
  },
  {
    says: "the score falls three times in a row",
    acts: pages("a", "b", "c", "d"),
    judge: scores([8, 7, 6, 5], () => ({ options: ["go on"] })),
    turns: "ok nudge nudge force-done",
  },
  {
    says: "the judge says that the goal is out of reach",
    acts: pages("a", "b"),
    judge: scores([3, 5], () => ({ reachable: false })),
    turns: "force-done end",
  },
  {
    says: "what was given up stays given up, whatever is said later",
    acts: pages("a", "b", "c"),
    judge: scores([3, 8], (index) => ({ reachable: index !== 0 })),
    turns: "force-done end end",
  },
  {
    says: "a state that comes again because the agent was told to undo gives up nothing",
    acts: [page("a"), page("b"), ["back", page("a")[1]], page("c"), ["back", page("a")[1]]],
    judge: scores([4]),
    turns: "ok nudge ok nudge ok",
  },
  {
    says: "to go back unasked undoes nothing",
    acts: [page("a"), page("b"), ["back", page("a")[1]]],
    judge: scores([3, 4, 5]),
    turns: "ok ok ok",
  },
];

describe("the document of the planning system:", () => {
  it.each([...decisions, ...reversals, ...exploration, ...nameless, ...cancelling])(
    "$says",
    async ({ acts, judge, turns, word, policy }) => {
      const walked = await walk(acts, judge, policy);
      expect(told(walked.turns)).toBe(turns);
      expect(walked.turns.at(-1)?.note).toContain(word ?? "");
    },
  );

  it("each action is recorded with its states, scores, branches and whether it was reverted", async () => {
    const { rig } = await walk([page("a"), page("b"), dialog], scores([3, 5, 5], left([], [], ["fill in the form"])));
    expect(rig.asked).toHaveLength(3);
    const nodes = async () => (await rig.plan())?.nodes;
    await vi.waitFor(async () => expect(await nodes()).toHaveLength(3));
    expect(await nodes()).toMatchObject([
      { at: 0, after: 3 },
      { at: 1, before: 3, after: 5, stateBefore: expect.stringMatching(/./), stateAfter: expect.stringMatching(/./) },
      { at: 2, before: 5, after: 5, options: [expect.any(String)], tried: [expect.any(String)] },
    ]);
  });
});
