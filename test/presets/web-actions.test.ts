import { describe, expect, it } from "vitest";
import { guardRig } from "../proxy/guard-rig.ts";
import { addedTo, dialogue, type Heard, saying } from "./dialogue.ts";
import { type WebAction, webAgent, webAnswer, webPlan } from "./prompt-agents.ts";
import { passes, presetRig, type Rig, told } from "./rig.ts";

const task = "箱根に9月の13から18日まで大人1人で泊まりたいので、1泊1万5千円以内のホテルを探してください。";
const system = "あなたはブラウザを操作するエージェントです。";
const notice = "⚠️ 同じ操作の繰り返しを検出したため、タスクを終了します。";
const typing: WebAction = { action: "type", target: "input[name='search']", value: "箱根" };
const searching: WebAction = { action: "click", target: "button[type='submit']", value: "" };
const dating: WebAction = { action: "click", target: "input[name='checkin']", value: "" };
const click = (n: number): WebAction => ({ action: "click", target: `#item-${n}`, value: "" });
const one = (...actions: readonly WebAction[]) => actions.map((action) => [action]);
const others = (...numbers: readonly number[]) => numbers.map((n) => [click(n)]);
const again = (times: number, action = typing) => one(...Array<WebAction>(times).fill(action));
const same = "[0] <input> 検索キーワード\n[1] <button> 検索する\n箱根の宿をさがすページです";
const results = ["花の湯 一万円", "山の音 九千円", "月の宿 八千円", "川の庭 七千円", "雪の里 六千円", "星の丘 五千円"];

/** What the agent's model answers in messages: what it means to do and why. */
const plan = (explanation: string, ...actions: readonly WebAction[]) =>
  JSON.stringify({ explanation, actions, complete: false });

interface Row {
  readonly says: string;
  /** The actions of each turn; several are one sequence. */
  readonly acts: readonly (readonly WebAction[])[];
  readonly turns: string;
  readonly explains?: (turn: number) => string;
  readonly page?: (turn: number) => string;
  readonly policy?: object;
}

const long =
  "箱根の温泉宿を探すページです。\n検索キーワードを入力してください。\n日付と人数を選んで検索します。\nおすすめの宿、口コミ、地図、割引の案内。";
const next: WebAction = { action: "click", target: "a.next" };
const token = (i: number) => `${(i * 7_919 + 104_729).toString(36)}f${(i * 104_729 + 7_919).toString(36)}`;
const csrf = (i: number) => `${long}\ncsrf: ${token(i)}`;
const visitors = (i: number) => `${long}\n訪問者数: ${[1_523, 1_531, 1_540, 1_542, 1_559, 1_571][i]}`;
const onward = () => "次へ進みます。";

/** What the document of the Japanese web agent says, in our words; what is played; and what becomes of each turn. */
const rows: readonly Row[] = [
  { says: "the same text typed over and over: the second repeat ends it", acts: again(6), turns: "ok ok end" },
  {
    says: "a repeat is one of the last five, in a row or not",
    acts: one(typing, searching, typing, dating, typing),
    turns: passes(4, "end"),
  },
  { says: "several actions are one sequence", acts: Array(3).fill([typing, searching]), turns: "ok ok end" },
  { says: "the same explanation, too", acts: others(1, 2, 3, 4), explains: () => "検索します。", turns: "ok ok end" },
  {
    says: "thresholds go by the type of action",
    acts: [...again(3, dating), ...again(3)],
    policy: { tools: { click: { ladders: { "repeated-call": { "short-circuit": 6 } } } } },
    turns: passes(5, "end"),
  },
  ...[
    {
      what: "new results each time",
      acts: again(5, next),
      page: (i: number) => `検索結果 ${i + 1}ページ目\n${results[i]}`,
    },
    {
      what: "one number more, by each click",
      acts: again(5, { action: "click", target: "#plus" }),
      page: (i: number) => `${long}\n大人 ${i}人`,
    },
  ].map((row) => ({ says: `with ${row.what} it is another page`, explains: onward, turns: passes(5), ...row })),
  ...[
    { what: "a token", acts: again(5), page: csrf, turns: "ok ok end" },
    { what: "a counter of visitors", acts: again(5), page: visitors, turns: "ok ok end" },
  ].map((row) => ({ says: `a page of which only ${row.what} changes is the same`, ...row })),
];

const explained = ({ explains = (turn: number) => `手順 ${turn}` }: Row, turn: number) => explains(turn);
const rigFor = (lines: readonly string[], policy: object = {}) =>
  presetRig(saying(lines), { extends: "web-actions", ...policy });

/** The turns of an agent in messages, up to its end. */
async function talk(rig: Rig, pages: readonly string[], extra: object = {}): Promise<readonly Heard[]> {
  const run = dialogue(rig, system, extra);
  const turns: Heard[] = [];
  for (const page of pages) if (told(turns.slice(-1)) !== "end") turns.push(await run.turn(page));
  return turns;
}

describe("the document of the web agent:", () => {
  it.each(rows)("$says", async (row) => {
    const lines = row.acts.map((actions, turn) => plan(explained(row, turn), ...actions));
    const pages = lines.map((_, turn) => (turn === 0 ? task : (row.page?.(turn - 1) ?? same)));
    expect(told(await talk(rigFor(lines, row.policy), pages))).toBe(row.turns);
  });

  it.each([{}, { stream: true }])("its end is in its own form, in its words, over HTTP: %j", async (extra) => {
    const typingAgain = plan("検索キーワード入力欄に「箱根」を入力します。", typing);
    const rig = await guardRig(saying([typingAgain]), { policy: "web-actions" });
    const turns = await talk(rig, [task, ...Array(5).fill(same)], extra);
    expect(told(turns)).toBe("ok ok end");
    expect(turns.map(({ content }) => content).slice(0, 2)).toEqual([typingAgain, typingAgain]);
    expect(JSON.parse(turns[2]?.content ?? "")).toEqual({ explanation: notice, actions: [], complete: true });
    expect([turns[2]?.finish, rig.upstream.requests.length]).toEqual(["stop", 3]);
    // With each request the model is told, by the same bytes, to look at the history, the fields and the stage before it acts.
    const [preamble, ...more] = new Set(addedTo(turns, system));
    for (const word of ["履歴", "入力", "段階"]) expect(preamble).toContain(word);
    expect(more).toEqual([]);
  });
});

const prompted = (said: (index: number) => string) =>
  presetRig((_, index) => ({ kind: "text", text: said(index) }), { extends: "web-actions" });
const page = () => same;

describe("a web agent with one prompt for each step", () => {
  it("is ended in place of the third equal action, in the form that it reads", async () => {
    const turns = await webAgent(
      prompted((i) => webPlan(`入力します ${i}`, typing)),
      { page, turns: 8 },
    );
    expect(told(turns)).toBe("ok ok end");
    expect(turns.map(({ headers }) => headers.get("x-unloop-steps"))).toEqual(["0", "1", "2"]);
    expect(webAnswer(turns[2]?.content ?? "")).toEqual({ explanation: notice, actions: [], complete: true });
  });

  it.each([
    {
      after: "an end",
      runs: 4,
      said: (i: number) =>
        i % 2 === 1 ? 'できました。\n```json\n{"actions":[],"complete":true}\n```' : webPlan(`入力 ${i}`, typing),
      turns: "ok ok",
    },
    { after: "it was stopped", runs: 2, said: (i: number) => webPlan(`入力 ${i}`, typing), turns: "ok ok end" },
  ])("goes on where a person starts it again after $after", async ({ runs, said, turns }) => {
    const rig = prompted(said);
    const history: { command: string; explanation: string }[] = [];
    for (let run = 0; run < runs; run++)
      expect(told(await webAgent(rig, { page, turns: 6, told: history }))).toBe(turns);
  });
});

it("two people who ask for the same at once are two runs: one goes in circles, and the other is left alone", async () => {
  let begun = 0;
  let clicks = 0;
  const rig = presetRig(
    ({ bytes }) => {
      const prompt = bytes.toString();
      const isFirst = !prompt.includes("A:甲") && !prompt.includes("A:乙");
      const loops = isFirst ? begun++ === 0 : prompt.includes("A:甲");
      const text = loops ? webPlan("甲は入力します", typing) : webPlan(`乙は開きます ${clicks}`, click(clicks++));
      return { kind: "text", text };
    },
    { extends: "web-actions" },
  );
  const runs = await Promise.all([0, 1].map(() => webAgent(rig, { page, turns: 6 })));
  expect(runs.map(told).toSorted()).toEqual(["ok ok end", passes(6)]);
});
