import { describe, expect, it } from "vitest";
import { policyFrom } from "../../src/policy/policy.ts";
import type { Step } from "../../src/step.ts";
import { judgeWith, storyOf } from "../support/builders/detection.ts";
import { ask, call, conversation, heard, type Part, said, times, together } from "../support/builders/steps.ts";

function measures(preset: string, parts: readonly Part[], terms: object = {}, system?: string): string {
  const evaluation = judgeWith({ policy: policyFrom({ extends: preset, ...terms }) });
  return storyOf(conversation(parts, system), evaluation)
    .map((line) => `${line.split(" ")[0]} ${Number(line.split(" ").at(-1)) + 1}`)
    .join(", ");
}

type Row = readonly [says: string, parts: readonly Part[], measures: string];

/* A web agent that writes its plans as JSON; what comes back is the page. */

const page = "[0] <input> 検索キーワード\n[1] <button> 検索する\n箱根の宿をさがすページです";
const long =
  "箱根の温泉宿を探すページです。\n検索キーワードを入力してください。\n日付と人数を選んで検索します。\nおすすめの宿、口コミ、地図、割引の案内。";
const typing = { action: "type", target: "input[name='search']", value: "箱根" };
const clicking = { action: "click", target: "#a", value: "" };
const acts = (actions: readonly (typeof typing)[], text: string, shows = page): Step => ({
  ...together(...actions.map(({ action, ...args }) => ask(action, args, shows))),
  text,
});
const types = (i: number, shows = page) => acts([typing], `手順 ${i}`, shows);
const clicks = (i: number, target = `#item-${i}`) => acts([{ ...clicking, target }], `手順 ${i}`);
const onward = (shows: (i: number) => string) => times(5, (i) => acts([clicking], "次へ進みます。", shows(i)));
const token = (i: number) => `${(i * 7_919 + 104_729).toString(36)}f${(i * 104_729 + 7_919).toString(36)}`;
const results = ["花の湯 一万円", "山の音 九千円", "月の宿 八千円", "川の庭 七千円", "雪の里 六千円"];

const webActions: readonly Row[] = [
  ["the same text typed over and over: the second repeat ends it", times(3, (i) => types(i)), "short-circuit 3"],
  [
    "a repeat is one of the last five, in a row or not",
    [types(0), clicks(1), types(2), clicks(3), types(4)],
    "short-circuit 5",
  ],
  ["several actions are one sequence", times(3, (i) => acts([typing, clicking], `手順 ${i}`)), "short-circuit 3"],
  ["the same explanation, too", times(3, (i) => ({ ...clicks(i), text: "検索します。" })), "short-circuit 3"],
  ["with new results each time it is another page", onward((i) => `検索結果 ${i + 1}ページ目\n${results[i]}`), ""],
  ["with one number more, by each click, it is another page", onward((i) => `${long}\n大人 ${i}人`), ""],
  [
    "a page of which only a token changes is the same",
    times(3, (i) => types(i, `${long}\ncsrf: ${token(i)}`)),
    "short-circuit 3",
  ],
  [
    "a page of which only a counter changes is the same",
    times(3, (i) => types(i, `${long}\n訪問者数: ${[1_523, 1_531, 1_540][i]}`)),
    "short-circuit 3",
  ],
];

/* An agent whose model sends a message fifteen times. */

const sends = (...texts: readonly string[]) =>
  together(...texts.map((text, i) => ask("message", { text }, `No ${i}.`)));
const raw = (...args: readonly string[]) => args.map((one, i) => call("message", one, `Accepted as number ${i}.`));

const duplicateCalls: readonly Row[] = [
  ["the third equal call in a row ends the run, whatever came back", raw("{}", "{}", "{}"), "short-circuit 3"],
  [
    "arguments are compared by meaning: any order of keys at any depth, any spacing",
    raw(
      '{"a":1,"b":{"x":[1,{"p":1,"q":2}]},"c":true}',
      '{"c":true,"b":{"x":[1,{"q":2,"p":1}]},"a":1}',
      '{"b": {"x": [1, {"p": 1, "q": 2}]}, "a": 1, "c": true}',
    ),
    "short-circuit 3",
  ],
  ["and differ as they stand", raw('{"text": "hel', "{text: 1}", "not json"), ""],
  ["all calls of a turn are compared, not the first alone", [..."bcd"].map((text) => sends("a", text)), ""],
  ["all calls of a turn are equal: that is a duplicate", times(3, () => sends("a", "b")), "short-circuit 3"],
  ["another call between starts afresh", [..."aabaa"].map((text) => sends(text)), ""],
];

/* A browser agent that fails in a row. */

const click = (index: number) => call("click", { index }, `Action result: Clicked ${index}`);
const fails = (index: number) => call("click", { index }, "Error: Element not found");
const pair = together(...[3, 4].map((index) => ask("click", { index }, "Error: Element not found")));
const moves: readonly (readonly [what: string, args: object, moved: (n: number) => string])[] = [
  ["scroll", { down: true }, (n) => `Scrolled to ${800 * n} of 9000`],
  ["wait", { seconds: 3 }, (n) => `Waited. The upload is at ${7 * n} %.`],
];

const consecutiveFailures: readonly Row[] = [
  ["a success sets the count back", [fails(1), fails(2), click(3), fails(4), fails(5), click(6)], ""],
  [
    "three in a row force the end, one more attempt, and it is over",
    [1, 2, 3, 4].map(fails),
    "force-done 3, short-circuit 4",
  ],
  ["a step of several actions sets it back, though they fail", [fails(1), fails(2), pair, fails(5)], ""],
  [
    "the same action on the same index ends at the third time, whatever the page shows",
    times(3, (i) => call("click", { index: 5 }, `Clicked: page ${i}`)),
    "short-circuit 3",
  ],
  [
    "another action on the same index sets it back",
    ["click", "click", "input_text", "click", "click"].map((tool) => call(tool, { index: 5 }, "Done.")),
    "",
  ],
  [
    "a report that denies is a failure, in any language",
    times(3, (index) => call("click", { index }, "クリックに失敗しました")),
    "force-done 3",
  ],
  ["it ends after 50 steps", times(50, click), "short-circuit 50"],
  ...moves.flatMap(([tool, args, moved]): Row[] => [
    [`to ${tool} goes on while it moves something`, times(6, (i) => call(tool, args, moved(i))), ""],
    [`to ${tool} ends where nothing moves`, times(3, () => call(tool, args, moved(1))), "short-circuit 3"],
  ]),
];

describe.each<readonly [preset: string, rows: readonly Row[]]>([
  ["web-actions", webActions],
  ["duplicate-calls", duplicateCalls],
  ["consecutive-failures", consecutiveFailures],
])("the document of %s says:", (preset, rows) => {
  it.each(rows)("%s", (_, parts, expected) => expect(measures(preset, parts)).toBe(expected));
});

it("thresholds of a policy go by the type of action", () => {
  const terms = { tools: { click: { ladders: { "repeated-call": { "short-circuit": 6 } } } } };
  const parts = [...times(3, (i) => clicks(i, "#a")), ...times(3, (i) => types(i))];
  expect(measures("web-actions", parts, terms)).toBe("short-circuit 6");
});

describe("a conversation that has come to nothing but politeness", () => {
  const simulator =
    "You are a user talking to an agent. When your goal is met, send ###STOP### to end the conversation.";
  const agent = "You are a customer service agent of an airline.";
  const [welcome, thanks] = ["You're welcome! Have a great day! 😊", "Thank you, you too! Have a great day. 😊"];
  const talk = (ours: readonly string[], theirs: readonly string[]) =>
    ours.flatMap((text, i) => [heard(theirs[i % theirs.length] ?? ""), said(text)]);
  const of = (parts: readonly Part[], system: string, terms: object = {}) =>
    measures("user-simulator", parts, terms, system);

  it("ends after two rounds of courtesies, whichever side is guarded, unless anything else is between", () => {
    expect(of(talk([thanks, thanks], [welcome]), simulator)).toBe("");
    expect(of(talk([thanks, thanks, thanks], [welcome]), simulator)).toBe("short-circuit 2, short-circuit 3");
    expect(of(talk([welcome, welcome, welcome], [thanks]), agent)).toBe("short-circuit 2, short-circuit 3");
    for (const short of ["🙏", "Great!", "はい。"])
      expect(of(talk([short, short, short, short], ["😊😊"]), agent)).toMatch(/^short-circuit 3/);
    const seat = "Oh wait, can you also book a window seat for me?";
    const heardThen = [welcome, welcome, "Seat 12A is booked for you.", welcome];
    expect(of(talk([thanks, seat, thanks], heardThen), simulator)).toBe("");
  });

  it("ends after three similar messages in a row: without emoji, case and punctuation", () => {
    const asking = ["I want to cancel my booking please.", "I WANT to cancel my booking, please! 🙏"];
    const questions = ["Which booking?", "I need your booking number.", "Is it under your own name?", "Anything else?"];
    expect(of(talk([...asking, "I want to cancel my booking please…"], questions), simulator)).toBe("short-circuit 3");
  });

  it("ends after as many turns without a tool call as a policy says", () => {
    const words = [
      "Let me see about that.",
      "It takes a while.",
      "Nothing found in Rome.",
      "There may be one in Oslo.",
    ];
    const terms = { ladders: { "repeated-message:no-call": { "short-circuit": 4 } } };
    expect(of(talk(words, ["A flight?", "Any news?", "There?", "So?"]), agent, terms)).toBe("short-circuit 4");
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ["one answer to different questions", ["Yes."], ["A seat?", "Breakfast?", "For two?", "Nights?", "Card?", "When?"]],
    [
      "other answers to one question",
      ["A car.", "A hotel.", "A dinner.", "A guide.", "A boat.", "No."],
      ["What else?"],
    ],
    [
      "a game of one word each",
      ["Rock.", "Paper.", "Scissors.", "Rock.", "Paper.", "Paper."],
      ["Paper.", "Paper.", "Rock.", "Rock.", "Scissors.", "Paper."],
    ],
  ])("goes on where short words are %s", (_, ours, theirs) => {
    const six = times(6, (i) => ours[i % ours.length] ?? "");
    expect(of(talk(six, theirs), agent, { ladders: { "repeated-message:heard": {} } })).toBe("");
  });
});
