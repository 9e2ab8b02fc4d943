import { describe, expect, it, vi } from "vitest";
import { type JudgeScript, planRig } from "./planner.ts";
import { told } from "./rig.ts";

/** What is clicked, or done with another tool, and what it shows. */
type Act = readonly [element: string, shows: string, tool?: string];

/** The requests of an agent that acts like this, whatever its model says, under a policy that waits for the judge. */
async function walk(acts: readonly Act[], judge: JudgeScript) {
  const rig = await planRig(() => ({ kind: "text", text: "Hm." }), {
    judge,
    policy: { judge: { wait: 5_000 } },
  });
  const messages: object[] = [{ role: "user", content: "Make a new entry." }];
  const turns: { headers: Headers; note: string }[] = [];
  for (const [i, [element, shows, name = "click"]] of acts.entries()) {
    const call = { name, arguments: JSON.stringify({ element }) };
    const calls = [{ id: `call_${i}`, type: "function", function: call }];
    messages.push({ role: "assistant", content: null, tool_calls: calls });
    messages.push({ role: "tool", tool_call_id: `call_${i}`, content: shows });
    const body = JSON.stringify({ model: "gpt-4o", messages });
    const { headers } = await rig.ask(rig.url, body, { "x-unloop-session": "plan" });
    const sent = rig.upstream.requests.at(-1)?.bytes.toString() ?? "";
    const isTold = ["nudge", "force-done"].includes(headers.get("x-unloop-verdict") ?? "");
    turns.push({ headers, note: isTold ? (sent.split("[unloop]").at(-1) ?? "").replaceAll("\\", "") : "" });
  }
  return { rig, turns };
}

const page = (name: string): Act => [name, `The page ${name}, with things of its own to see.`];
const pages = (...names: readonly string[]) => names.map(page);
const dialog: Act = ["New", 'A dialog "New entry" has opened.'];

/** A score for each state, and what the judge sees that could be tried there. */
const scores =
  (distances: readonly number[], more: (index: number) => object = () => ({ options: [] })): JudgeScript =>
  (_, index) => ({ distance_score: distances[Math.min(index, distances.length - 1)], reasoning: "So", ...more(index) });
const left =
  (...options: readonly (readonly string[])[]) =>
  (index: number) => ({ options: options[index] ?? [] });

/**
 * What the document of the planning system (002) says, in our words; what is played; what becomes of each turn, and what the last word
 * contains.
 */
type Row = readonly [says: string, acts: readonly Act[], judge: JudgeScript, turns: string, word: string];

const decisions: readonly Row[] = [
  ["the goal is met: done, with success", pages("a", "b"), scores([3, 10]), "ok force-done", "success=true"],
  ["progress: the action is retained", pages("a", "b", "c"), scores([3, 5, 8]), "ok ok ok", ""],
  [
    "no progress, and options left: retained, and the next one is tried",
    ...([pages("a", "b"), scores([3, 3], left([], ["press OK"])), "ok nudge", 'Do this next: "press OK".'] as const),
  ],
  ["no progress, all explored: reverted", pages("a", "b"), scores([3, 3]), "ok nudge", "Undo it"],
];

const reversals: readonly Row[] = (
  [
    ["a checkbox is clicked again", ["checkbox Agree", "It is checked."], "click the same place once more"],
    ["a dialog is left by Cancel or Close", dialog, 'click "Cancel" or "Close"'],
    ["typed text is cleared", ["Ann", "The field Name says Ann now.", "type"], "clear the field (Ctrl+A, Delete)"],
    ["a menu is closed", ["menu File", "A menu with Open and Save."], "press Escape, or click elsewhere"],
    ["a window is closed", ["Editor", "A window.", "launch_app"], "close the window (its X, or Alt+F4)"],
    ["any other click: the states are compared", page("b"), "compare the state now with the one before it"],
  ] satisfies readonly (readonly [string, Act, string])[]
).map(([says, act, word]): Row => [says, [page("a"), act], scores([3, 3]), "ok nudge", word]);

const missing: Act = ["OK", "The dialog says that a name is missing."];
const taken: Act = ["Ann", "The dialog says that Ann is taken.", "type"];
const a = page("a")[1];
const exploration: readonly Row[] = [
  [
    "in a dialog the form is filled in, other values are tried, and only then Cancel is clicked",
    [page("a"), dialog, missing, taken],
    scores([3], left([], ["fill in the form", "try another name"], ["try another name"], [])),
    ...(["ok nudge nudge nudge", 'click "Cancel" or "Close"'] as const),
  ],
  [
    "what was undone is off the stack, and the plan goes on from there",
    [page("a"), dialog, ["Cancel", a], page("b")],
    scores([3, 3, 3, 6], (i) => (i === 2 ? { options: ["look at b"] } : { options: [] })),
    ...(["ok nudge ok ok", ""] as const),
  ],
  [
    "a judge that names no options: twice to try on, then to undo",
    ...([pages("a", "b", "c", "d"), scores([3], () => ({})), "ok nudge nudge nudge", "Undo it"] as const),
  ],
];

const unreachable = (isSo: (index: number) => boolean) => (index: number) => ({ reachable: !isSo(index) });
const cancelling: readonly Row[] = [
  ["one state three times", [page("a"), ["x", a], ["y", a]], scores([3, 4, 5]), "ok ok force-done", "(same state: 3)"],
  [
    "the score falls three times in a row",
    pages("a", "b", "c", "d"),
    scores([8, 7, 6, 5], () => ({ options: ["go on"] })),
    ...(["ok nudge nudge force-done", ""] as const),
  ],
  [
    "the goal is out of reach",
    pages("a", "b"),
    scores(
      [3, 5],
      unreachable(() => true),
    ),
    "force-done end",
    "",
  ],
  [
    "what was given up stays given up, whatever is said later",
    ...([
      pages("a", "b", "c"),
      scores(
        [3, 8],
        unreachable((i) => i === 0),
      ),
      "force-done end end",
      "",
    ] as const),
  ],
  [
    "a state that comes again because the agent was told to undo gives up nothing",
    [page("a"), page("b"), ["back", a], page("c"), ["back", a]],
    ...([scores([4]), "ok nudge ok nudge ok", ""] as const),
  ],
  ["to go back unasked undoes nothing", [page("a"), page("b"), ["back", a]], scores([3, 4, 5]), "ok ok ok", ""],
];

describe("the document of the planning system:", () => {
  it.each([...decisions, ...reversals, ...exploration, ...cancelling])("%s", async (_, acts, judge, turns, word) => {
    const walked = await walk(acts, judge);
    expect(told(walked.turns)).toBe(turns);
    expect(walked.turns.at(-1)?.note).toContain(word);
  });

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
