import { describe, expect, it } from "vitest";
import { policyFrom } from "../../src/policy/policy.ts";
import { guardRig } from "../proxy/guard-rig.ts";
import { dialogue, saying, ways } from "./dialogue.ts";
import { promptVerdicts, type WebAction, webAgent, webPlan } from "./prompt-agents.ts";

/** What the document of the Japanese web agent (000) says, in our words; what is played; and what becomes of each turn. */
interface Row {
  readonly says: string;
  /** The actions of each turn; several are one sequence. */
  readonly acts: readonly (readonly WebAction[])[];
  readonly turns: string;
  readonly explains?: (turn: number) => string;
  readonly page?: (turn: number) => string;
  readonly policy?: object;
}

const typing: WebAction = { action: "type", target: "input[name='search']", value: "箱根" };
const searching: WebAction = { action: "click", target: "button[type='submit']", value: "" };
const dating: WebAction = { action: "click", target: "input[name='checkin']", value: "" };
const click = (n: number): WebAction => ({ action: "click", target: `#item-${n}`, value: "" });
const one = (...actions: readonly WebAction[]) => actions.map((action) => [action]);
const others = (...numbers: readonly number[]) => numbers.map((n) => [click(n)]);
const again = (times: number) => one(...Array<WebAction>(times).fill(typing));
const same = "[0] <input> 検索キーワード\n[1] <button> 検索する\n箱根の宿をさがすページです";
const results = ["花の湯 一万円", "山の音 九千円", "月の宿 八千円", "川の庭 七千円", "雪の里 六千円"];

const rows: readonly Row[] = [
  { says: "the same text typed over and over: the second repeat ends it", acts: again(6), turns: "ok ok end" },
  { says: "type, search, choose a date: the task goes on", acts: one(typing, searching, dating), turns: "ok ok ok" },
  {
    says: "a repeat is one of the last five, in a row or not",
    acts: one(typing, searching, typing, dating, typing),
    turns: "ok ok ok ok end",
  },
  {
    says: "what was done six actions ago is no repeat",
    acts: [...one(typing), ...others(1, 2, 3, 4, 5), ...one(typing), ...others(6, 7, 8, 9, 10), ...one(typing)],
    turns: Array(13).fill("ok").join(" "),
  },
  { says: "one repeat is let pass", acts: [...again(2), ...others(1, 2)], turns: "ok ok ok ok" },
  {
    says: "a missing value is an empty one",
    acts: one(searching, { action: "click", target: searching.target }, searching),
    turns: "ok ok end",
  },
  {
    says: "another value is another action",
    acts: one(typing, { ...typing, value: "熱海" }, { ...typing, value: "伊豆" }),
    turns: "ok ok ok",
  },
  {
    says: "another target is another action",
    acts: one(typing, { ...typing, target: "#b" }, { ...typing, target: "#c" }),
    turns: "ok ok ok",
  },
  {
    says: "another action on the target is another action",
    acts: one(typing, { ...typing, action: "hover" }, { ...typing, action: "focus" }),
    turns: "ok ok ok",
  },
  { says: "several actions are one sequence", acts: Array(3).fill([typing, searching]), turns: "ok ok end" },
  {
    says: "in another order they are another",
    acts: [
      [typing, searching],
      [searching, typing],
      [typing, searching],
    ],
    turns: "ok ok ok",
  },
  { says: "a part of them is another", acts: [[typing, searching], [typing], [typing, searching]], turns: "ok ok ok" },
  {
    says: "the same explanation stays a second check",
    acts: others(1, 2, 3, 4),
    explains: () => "検索します。",
    turns: "ok ok end",
  },
  {
    says: "the explanation alone does not matter",
    acts: again(4),
    explains: (turn) => `${turn}番目の説明`,
    turns: "ok ok end",
  },
  {
    says: "more actions can be looked back on",
    acts: [...one(typing), ...others(1, 2, 3, 4, 5), ...one(typing), ...others(6, 7, 8, 9, 10), ...one(typing)],
    policy: { detectors: { "repeated-call": { window: 8 } } },
    turns: `${Array(12).fill("ok").join(" ")} end`,
  },
  {
    says: "more repeats can be allowed",
    acts: again(6),
    policy: { ladders: { "repeated-call": { "short-circuit": 5 } } },
    turns: "ok ok ok ok end",
  },
  {
    says: "thresholds go by the type of action",
    acts: [...one(dating, dating, dating), ...again(3)],
    policy: { tools: { click: { ladders: { "repeated-call": { "short-circuit": 6 } } } } },
    turns: "ok ok ok ok ok end",
  },
  {
    says: "the page is considered: with new results each time it is no repeat",
    acts: one(...Array<WebAction>(5).fill({ action: "click", target: "a.next" })),
    page: (turn) => `検索結果 ${turn + 1}ページ目\n${results[turn]}`,
    explains: () => "次のページを表示します。",
    turns: "ok ok ok ok ok",
  },
  {
    says: "two actions that were each repeated once go on (the system ended them)",
    acts: [...again(2), ...one(dating, dating), ...others(1)],
    turns: "ok ok ok ok ok",
  },
];

const policyOf = ({ policy = {} }: Row) => policyFrom({ extends: "web-actions", ...policy });
const explained = ({ explains = (turn: number) => `手順 ${turn}` }: Row, turn: number) => explains(turn);
const told = (verdicts: readonly (string | null)[]) =>
  verdicts.map((verdict) => (verdict === "short-circuit" ? "end" : verdict)).join(" ");

describe.each(ways)("the document of the web agent, answered with $kind:", ({ extra }) => {
  it.each(rows)("$says, in messages", async (row) => {
    const lines = row.acts.map((actions, turn) =>
      JSON.stringify({ explanation: explained(row, turn), actions, complete: false }),
    );
    const run = dialogue(await guardRig(saying(lines), { policy: policyOf(row) }), "あなたはエージェントです。", extra);
    const verdicts: (string | null)[] = [];
    for (let turn = 0; turn < lines.length && verdicts.at(-1) !== "short-circuit"; turn++) {
      const said = turn === 0 ? "箱根のホテルを探して" : (row.page?.(turn - 1) ?? same);
      verdicts.push((await run.turn(said)).headers.get("x-unloop-verdict"));
    }
    expect(told(verdicts)).toBe(row.turns);
  });

  it.each(rows)("$says, in its own prompt", async (row) => {
    const lines = row.acts.map((actions, turn) => webPlan(explained(row, turn), ...actions));
    const rig = await guardRig(saying(lines), { policy: policyOf(row) });
    const turns = await webAgent(rig, { extra, turns: lines.length, page: row.page ?? (() => same) });
    expect(told(promptVerdicts(turns))).toBe(row.turns);
  });

  it("the model is told to look at the history, the fields filled in and the stage, and never to act twice", async () => {
    const rig = await guardRig(saying([webPlan("a", typing)]), { policy: "web-actions" });
    const [turn] = await webAgent(rig, { extra, turns: 1, page: () => same });
    const system = JSON.parse(turn?.received[0] ?? "{}").messages[0];
    expect(system.role).toBe("system");
    for (const word of ["履歴", "入力", "段階"]) expect(system.content).toContain(word);
  });
});
