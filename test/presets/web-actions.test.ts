import { describe, expect, it } from "vitest";
import { policyFrom } from "../../src/policy/policy.ts";
import { guardRig } from "../proxy/guard-rig.ts";
import { addedTo, dialogue, type Heard, saying, ways } from "./dialogue.ts";

interface Action {
  readonly action: string;
  readonly target: string;
  readonly value?: string;
}

const task = "箱根に9月の13から18日まで大人1人で泊まりたいので、1泊1万5千円以内のホテルを探してください。";
const system = "あなたはブラウザを操作するエージェントです。";
const field = 'input[aria-label="検索キーワードの入力"]';
const typing: Action = { action: "type", target: field, value: "箱根" };
const searching: Action = { action: "click", target: "button[type='submit']" };
const dating: Action = { action: "click", target: "input[name='checkin']" };
const page = "現在のページ: Yahoo!トラベル トップ";

/** What the agent's model answers: what it means to do and why. */
function plan(explanation: string, ...actions: readonly Action[]): string {
  return JSON.stringify({ explanation, actions, complete: false });
}

const typingAgain = plan("検索キーワード入力欄に「箱根」を入力します。", typing);

const verdicts = (turns: readonly Heard[]) => turns.map(({ headers }) => headers.get("x-unloop-verdict"));
const asked = (turns: readonly Heard[]) => turns.map(({ received }) => received.length);

describe.each(ways)("a browser agent whose model answers with $kind", ({ extra }) => {
  async function play(
    lines: readonly string[],
    pages: readonly string[],
    policy: unknown = "web-actions",
    first: string = task,
  ): Promise<readonly Heard[]> {
    const rig = await guardRig(saying(lines), {
      policy: typeof policy === "string" ? policy : policyFrom(policy),
    });
    const run = dialogue(rig, system, extra);
    const turns: Heard[] = [];
    for (const [i, said] of [first, ...pages].entries()) {
      const turn = await run.turn(said);
      turns.push(turn);
      if (i < pages.length && turn.content.includes('"complete":true')) break;
    }
    expect(new Set(addedTo(turns, system)).size).toBe(1);
    return turns;
  }

  it("types the same into the same field twice, and is ended in place of the third time", async () => {
    const turns = await play([typingAgain], Array(5).fill(page));
    expect(verdicts(turns)).toEqual(["ok", "ok", "short-circuit"]);
    expect(asked(turns)).toEqual([1, 1, 1]);
    expect(turns.slice(0, 2).map(({ content }) => content)).toEqual([typingAgain, typingAgain]);
    expect(turns.slice(0, 2).map(({ text }) => text)).toEqual(
      turns.slice(0, 2).map(({ received }) => String(received[0]?.answer)),
    );
    const last = JSON.parse(turns[2]?.content ?? "");
    expect(last).toMatchObject({ actions: [], complete: true });
    expect(last.explanation).toBe("⚠️ 同じ操作の繰り返しを検出したため、タスクを終了します。");
    expect(turns[2]?.finish).toBe("stop");
  });

  it("is ended as well where its actions stand behind a sentence on the same line", async () => {
    const turns = await play([`次の操作です: ${typingAgain}`], Array(5).fill(page));
    expect(verdicts(turns)).toEqual(["ok", "ok", "short-circuit"]);
    expect(JSON.parse(turns[2]?.content ?? "")).toMatchObject({ actions: [], complete: true });
  });

  it("goes on where it quotes such an object amid what it says", async () => {
    const turns = await play([`I would send ${typingAgain} if the page had loaded.`], Array(2).fill(page));
    expect(turns.map(({ headers }) => headers.get("x-unloop-steps"))).toEqual(["0", "1", "2"]);
    expect(verdicts(turns)).toEqual(["ok", "ok", "ok"]);
  });

  it("goes on unhindered where each step follows from the one before", async () => {
    const lines = [
      plan("検索欄に入力します。", typing),
      plan("検索ボタンを押します。", searching),
      plan("日付を選びます。", dating),
      JSON.stringify({ explanation: "終わりました。", actions: [], complete: true }),
    ];
    const turns = await play(lines, Array(3).fill(page));
    expect(verdicts(turns)).toEqual(["ok", "ok", "ok", "ok"]);
    expect(turns.map(({ content }) => content)).toEqual(lines);
    expect(turns.map(({ text }) => text)).toEqual(turns.map(({ received }) => String(received[0]?.answer)));
  });

  it("is told in every request, with the same bytes, to look at what was done before it acts", async () => {
    const turns = await play([plan("a", typing), plan("b", searching), plan("c", dating)], [page, page]);
    const preambles = addedTo(turns, system);
    expect(new Set(preambles).size).toBe(1);
    expect(preambles[0]).toContain("履歴");
    expect(preambles[0]).toMatch(/入力/);
  });

  it("is ended at the second repeat too where other actions lie between, within five", async () => {
    const lines = [typing, searching, typing, dating, typing].map((action, i) => plan(`手順${i}`, action));
    const turns = await play(lines, Array(5).fill(page));
    expect(verdicts(turns)).toEqual(["ok", "ok", "ok", "ok", "short-circuit"]);
  });

  it("may come back to an action after five others", async () => {
    const others = [1, 2, 3, 4, 5].map((n): Action => ({ action: "click", target: `#field-${n}` }));
    const acts = [typing, ...others, typing, ...others.map((one) => ({ ...one, value: "x" })), typing];
    const turns = await play(
      acts.map((action, i) => plan(`手順${i}`, action)),
      Array(acts.length - 1).fill(page),
    );
    expect(new Set(verdicts(turns))).toEqual(new Set(["ok"]));
  });

  it("may repeat an action while the page changes", async () => {
    const next: Action = { action: "click", target: "a.next" };
    const pages = [1, 2, 3, 4, 5].map((n) => `現在のページ: 検索結果 ${n}ページ目, ホテル ${n * 10}件`);
    const turns = await play(
      pages.map((_, i) => plan(`次のページ、${i}`, next)),
      pages.slice(1),
    );
    expect(verdicts(turns)).toEqual(Array(5).fill("ok"));
  });

  it("is ended too when it explains three different actions in the same words", async () => {
    const lines = [1, 2, 3].map((n) => plan("ホテルを探しています。", { action: "click", target: `#hotel-${n}` }));
    const turns = await play(lines, Array(3).fill(page));
    expect(verdicts(turns)).toEqual(["ok", "ok", "short-circuit"]);
    expect(JSON.parse(turns[2]?.content ?? "")).toMatchObject({ actions: [], complete: true });
  });

  it.each([
    { name: "a missing value is an empty one", twin: { ...searching, value: "" }, ends: true },
    { name: "another value is another action", twin: { ...typing, value: "熱海" }, ends: false },
    { name: "another target is another action", twin: { ...searching, target: "#other" }, ends: false },
  ])("$name", async ({ twin, ends }) => {
    const first = twin.action === "type" ? typing : searching;
    const lines = [first, first, twin].map((action, i) => plan(`手順${i}`, action));
    const turns = await play(lines, Array(2).fill(page));
    expect(verdicts(turns)).toEqual(["ok", "ok", ends ? "short-circuit" : "ok"]);
  });

  it("compares several actions of a turn as one sequence", async () => {
    const both = [typing, searching];
    const turned = [searching, typing];
    const run = async (turnsOfActions: readonly (readonly Action[])[]) =>
      verdicts(
        await play(
          turnsOfActions.map((actions, i) => plan(`手順${i}`, ...actions)),
          [page, page],
        ),
      );
    expect(await run([both, both, both])).toEqual(["ok", "ok", "short-circuit"]);
    expect(await run([both, turned, both])).toEqual(["ok", "ok", "ok"]);
    expect(await run([both, [typing], both])).toEqual(["ok", "ok", "ok"]);
  });

  it("waits longer with the actions that a policy is patient with", async () => {
    const patient = {
      extends: "web-actions",
      tools: { scroll: { ladders: { "repeated-call": { "short-circuit": 5 } } } },
    };
    const scroll: Action = { action: "scroll", target: "window" };
    const scrolling = await play(
      [1, 2, 3, 4, 5, 6].map((n) => plan(`スクロール${n}`, scroll)),
      Array(5).fill(page),
      patient,
    );
    const typed = await play(
      [1, 2, 3].map((n) => plan(`入力${n}`, typing)),
      Array(3).fill(page),
      patient,
    );
    expect(verdicts(scrolling)).toEqual(["ok", "ok", "ok", "ok", "short-circuit"]);
    expect(verdicts(typed)).toEqual(["ok", "ok", "short-circuit"]);
  });

  it.each([
    {
      language: "English",
      said: "Find me a hotel in Hakone for five nights.",
      told: "The same operation was repeated",
    },
    { language: "Chinese", said: "请帮我在箱根找一家酒店,住五晚。", told: "检测到重复的操作" },
  ])("tells a user who writes $language in that language", async ({ said, told }) => {
    const turns = await play([typingAgain], [page, page], "web-actions", said);
    expect(JSON.parse(turns[2]?.content ?? "").explanation).toContain(told);
  });
});

describe.each(ways)("a page, answered with $kind", ({ extra }) => {
  const long =
    "箱根の温泉宿を探すページです。\n検索キーワードを入力してください。\n日付と人数を選んで検索します。\nおすすめの宿、口コミ、地図、割引の案内。";
  const clicking: Action = { action: "click", target: "a.next" };
  const token = (i: number) => `${(i * 7_919 + 104_729).toString(36)}f${(i * 104_729 + 7_919).toString(36)}`;
  const ads = [
    "夏の旅行割引キャンペーン実施中",
    "新しい掃除機が半額です",
    "英会話を始めませんか",
    "車の保険を見直そう",
    "美味しいお米をお届け",
  ];
  const visitors = [1_523, 1_531, 1_540, 1_542, 1_559, 1_571];
  const ryokan = ["花の湯", "山の音", "月の宿", "川の庭", "雪の里", "星の丘"];

  async function pages(action: Action, page: (turn: number) => string, say = (i: number) => `手順${i}`) {
    const rig = await guardRig(saying([0, 1, 2, 3, 4, 5].map((i) => plan(say(i), action))), { policy: "web-actions" });
    const run = dialogue(rig, system, extra);
    const found: (string | null)[] = [];
    for (let turn = 0; turn < 6; turn++) {
      const { headers } = await run.turn(turn === 0 ? task : page(turn));
      found.push(headers.get("x-unloop-verdict"));
      if (found.at(-1) !== "ok") break;
    }
    return found;
  }

  it.each([
    { what: "a token", action: typing, page: (i: number) => `${long}\ncsrf: ${token(i)}`, ended: 3 },
    {
      what: "a counter of visitors",
      action: typing,
      page: (i: number) => `${long}\n訪問者数: ${visitors[i]}`,
      ended: 3,
    },
    { what: "an advertisement", action: typing, page: (i: number) => `${long}\n${long}\n${ads[i % 5]}`, ended: 3 },
    { what: "a token, after clicks", action: clicking, page: (i: number) => `${long}\ncsrf: ${token(i)}`, ended: 3 },
    {
      what: "a counter of visitors, after clicks",
      action: clicking,
      page: (i: number) => `${long}\n訪問者数: ${visitors[i]}`,
      ended: 4,
    },
  ])("on which only $what changes is the same page", async ({ action, page, ended }) => {
    expect(await pages(action, page)).toEqual([...Array(ended - 1).fill("ok"), "short-circuit"]);
  });

  it.each([
    {
      what: "the next results",
      action: clicking,
      page: (i: number) => `検索結果 ${i}ページ目\n${ryokan[i]} 1泊 ${9 + i}千円`,
    },
    {
      what: "one number more, by each click",
      action: { action: "click", target: "#plus" },
      page: (i: number) => `${long}\n大人 ${i}人`,
    },
    {
      what: "other results for the same word",
      action: typing,
      page: (i: number) => `候補: ${ryokan[i]}、${ryokan[(i + 1) % 6]}`,
    },
  ])("with $what is another page, whatever is said about it", async ({ action, page }) => {
    expect(await pages(action, page, () => "次へ進みます。")).toEqual(Array(6).fill("ok"));
  });
});
