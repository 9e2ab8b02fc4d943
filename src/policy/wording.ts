import type { Finding } from "../engine/engine.ts";
import type { Step } from "../step.ts";

/** Every sentence that a model or a person is shown. */

export type Language = "en" | "ja" | "zh";

/** All our notes begin with this, so that a guard, ours included, knows them for what they are. */
const TAG = "[unloop]";

const NAME_MAX = 64;
const ARGUMENTS_MAX = 120;
const OUTCOME_MAX = 160;
const TASK_MAX = 2_000;

/** What a note is made from: the finding's facts, and the step it speaks about. */
export interface Told {
  readonly detector: Finding["detector"];
  readonly grade?: string;
  readonly count: number;
}

/** Japanese is told by its kana; Han characters without kana are taken for Chinese. */
export function languageOf(text: string): Language {
  const sample = text.slice(0, 500);
  const kana = count(sample, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = count(sample, /\p{Script=Han}/gu);
  // A name or a quoted word does not change the language; a character says about as much as three letters.
  if ((kana + han) * 3 < count(sample, /\p{Script=Latin}/gu) || kana + han === 0) return "en";
  return kana > 0 ? "ja" : "zh";
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** The first word to the model: what repeats, how often, what came back, and what else it could do. */
export function nudgeNote(told: Told, step: Step, language: Language): string {
  const words = sentences[language];
  const seen = words.seen[kindOf(told)](told.count, callsOf(step, words.and));
  const back = outcomeOf(told, step);
  const came = back === undefined ? [] : [words.came(back)];
  return [TAG, seen, ...came, words.advice[kindOf(told)], words.intended].join(" ");
}

/** The last word before the guard ends the run itself: finish now, and how. */
export function forceDoneNote(
  told: Told,
  step: Step,
  task: string,
  tool: string | undefined,
  language: Language,
): string {
  const words = sentences[language];
  const seen = words.seen[kindOf(told)](told.count, callsOf(step, words.and));
  const how = tool === undefined ? words.answerNow : words.callNow(tool);
  const asked = task === "" ? [] : [words.task(shorten(task, TASK_MAX))];
  return [TAG, seen, how, words.include, ...asked].join(" ");
}

/** The guard's own final answer. */
export function finalText(told: Told, step: Step, language: Language): string {
  const words = sentences[language];
  const back = outcomeOf(told, step);
  const came = back === undefined ? [] : [words.came(back)];
  return [
    TAG,
    words.stopped,
    words.seen[kindOf(told)](told.count, callsOf(step, words.and)),
    ...came,
    words.recover,
  ].join(" ");
}

type Kind = "call" | "failure" | "cycle" | "answer" | "poll" | "message" | "steps" | "novelty";

function kindOf(told: Told): Kind {
  switch (told.detector) {
    case "repeated-call":
      return told.grade === "failing" ? "failure" : "call";
    case "call-cycle":
      return told.grade === "failing" ? "failure" : "cycle";
    case "no-progress":
      return "answer";
    case "consecutive-failures":
      return "failure";
    case "unchanged-poll":
      return "poll";
    case "low-novelty":
      return "novelty";
    case "repeated-message":
      return "message";
    case "budget":
      return "steps";
  }
}

interface Sentences {
  readonly and: string;
  readonly seen: Readonly<Record<Kind, (count: number, calls: string) => string>>;
  readonly advice: Readonly<Record<Kind, string>>;
  readonly came: (outcome: string) => string;
  readonly intended: string;
  readonly answerNow: string;
  readonly callNow: (tool: string) => string;
  readonly include: string;
  readonly task: (task: string) => string;
  readonly stopped: string;
  readonly recover: string;
}

const english: Sentences = {
  and: " and ",
  seen: {
    call: (count, calls) => `You have made the same call ${count} times with the same outcome: ${calls}.`,
    failure: (count, calls) => `${count} attempts of this kind have failed: ${calls}.`,
    cycle: (count, calls) =>
      `You are going round in a circle: ${count} laps of the same calls with the same outcomes, the last of them ${calls}.`,
    answer: (count, calls) => `${count} different calls have brought the same answer, the last of them ${calls}.`,
    poll: (count, calls) => `You have looked ${count} times and nothing has changed: ${calls}.`,
    message: (count) => `You have sent the same message, or announced without acting, ${count} times.`,
    steps: (count) => `This run has taken ${count} steps.`,
    novelty: (count, calls) =>
      `${count} of your last 24 calls brought back what you knew already, the last of them ${calls}.`,
  },
  advice: {
    call: "Doing it again will not bring anything new. Use the result you have for the next step, or take a different approach.",
    failure:
      "Trying the same again will fail again. Read the error and change what it names, or reach the goal by another way.",
    cycle:
      "Another lap will end where this one did. Decide with what you have seen, or do something you have not tried yet.",
    answer: "More variations are unlikely to change it. Take the answer as it is, or look in a different place.",
    poll: "Wait considerably longer before you look again, or go on with something that does not depend on it.",
    message: "Act on it now with a tool call, or give your final answer.",
    steps: "Come to an end soon: do only what matters most, or finish with what you have.",
    novelty: "Write down what you know, then act on it, or look at something you have not seen.",
  },
  came: (outcome) => `It came back: ${outcome}.`,
  intended: "If this is intended, carry on.",
  answerNow: "Tools are no longer available. Give your final answer now.",
  callNow: (tool) =>
    `No tool but "${tool}" is available any more. Call it now; if the task is unfinished, say so (success=false where it asks).`,
  include: "Include everything you have found out so far, and say what is missing and why.",
  task: (task) => `The task was: ${task}`,
  stopped: "This run was stopped because it was going in circles.",
  recover: "The task may be unfinished. A new instruction will let it go on.",
};

const japanese: Sentences = {
  and: "、",
  seen: {
    call: (count, calls) => `同じ呼び出しを同じ結果のまま${count}回繰り返しています: ${calls}。`,
    failure: (count, calls) => `同種の試みが${count}回失敗しています: ${calls}。`,
    cycle: (count, calls) => `同じ呼び出しと結果の循環が${count}周続いています。最後の呼び出し: ${calls}。`,
    answer: (count, calls) => `異なる呼び出し${count}回に対して同じ答えが返っています。最後の呼び出し: ${calls}。`,
    poll: (count, calls) => `${count}回確認しましたが変化がありません: ${calls}。`,
    message: (count) => `同じメッセージ、または実行を伴わない予告を${count}回繰り返しています。`,
    steps: (count) => `この実行はすでに${count}ステップに達しています。`,
    novelty: (count, calls) => `直近24回の呼び出しのうち${count}回は既知の結果でした。最後の呼び出し: ${calls}。`,
  },
  advice: {
    call: "もう一度行っても新しい結果は得られません。得られた結果で次に進むか、別の方法を取ってください。",
    failure: "同じ方法ではまた失敗します。エラーが示す点を直すか、別の手段で目的を達してください。",
    cycle: "もう一周しても結果は同じです。得た情報で判断するか、まだ試していないことを行ってください。",
    answer: "言い換えても結果は変わりそうにありません。この答えを受け入れるか、別の場所を調べてください。",
    poll: "次の確認まで十分に長く待つか、これに依存しない作業を進めてください。",
    message: "今すぐツールを呼び出して実行するか、最終回答を出してください。",
    steps: "まもなく終了してください。最も重要なことだけを行うか、得られた結果でまとめてください。",
    novelty: "分かったことを整理してから行動するか、まだ見ていないものを調べてください。",
  },
  came: (outcome) => `返ってきた内容: ${outcome}。`,
  intended: "意図したものであれば、そのまま続けてください。",
  answerNow: "ツールはもう使えません。今すぐ最終回答を出してください。",
  callNow: (tool) =>
    `使えるツールは「${tool}」だけです。今すぐ呼び出し、未完了ならその旨を示してください(項目があれば success=false)。`,
  include: "これまでに分かったことをすべて含め、足りない点とその理由を述べてください。",
  task: (task) => `元の依頼: ${task}`,
  stopped: "同じ操作の繰り返しを検出したため、タスクを終了します。",
  recover: "タスクは未完了の可能性があります。新しい指示があれば再開できます。",
};

const chinese: Sentences = {
  and: "、",
  seen: {
    call: (count, calls) => `同一调用已重复${count}次,结果相同:${calls}。`,
    failure: (count, calls) => `同类尝试已失败${count}次:${calls}。`,
    cycle: (count, calls) => `你在原地打转:相同的调用与结果已循环${count}轮,最后一次是${calls}。`,
    answer: (count, calls) => `${count}次不同的调用得到相同的答案,最后一次是${calls}。`,
    poll: (count, calls) => `已查询${count}次,没有任何变化:${calls}。`,
    message: (count) => `同样的消息或没有行动的预告已出现${count}次。`,
    steps: (count) => `本次运行已执行${count}步。`,
    novelty: (count, calls) => `最近24次调用中有${count}次只得到已知结果,最后一次是${calls}。`,
  },
  advice: {
    call: "再做一次不会得到新结果。请用已有结果进入下一步,或换一种方法。",
    failure: "同样的尝试还会失败。请修正错误所指之处,或用其他途径达到目标。",
    cycle: "再转一轮结果也一样。请根据已有信息作出决定,或做尚未尝试过的事。",
    answer: "换个说法也很难改变结果。请接受这个答案,或到别处查找。",
    poll: "请等待更长时间再查询,或先做不依赖它的事情。",
    message: "请立即调用工具执行,或给出最终回答。",
    steps: "请尽快结束:只做最重要的事,或用已有结果收尾。",
    novelty: "请先整理已知信息再行动,或查看尚未看过的内容。",
  },
  came: (outcome) => `返回内容:${outcome}。`,
  intended: "如果这是有意为之,请继续。",
  answerNow: "工具已不可用。请立即给出最终回答。",
  callNow: (tool) => `现在只能使用“${tool}”。请立即调用;若任务未完成,请如实说明(如有该项则 success=false)。`,
  include: "请包含目前查明的全部内容,并说明缺少什么以及原因。",
  task: (task) => `原任务:${task}`,
  stopped: "检测到循环,本次运行已停止。",
  recover: "任务可能尚未完成。给出新的指示即可继续。",
};

const sentences: Readonly<Record<Language, Sentences>> = { en: english, ja: japanese, zh: chinese };

function callsOf(step: Step, and: string): string {
  const calls = [
    ...new Set(step.calls.map((call) => `${shorten(call.tool, NAME_MAX)}(${shorten(call.args, ARGUMENTS_MAX)})`)),
  ];
  const shown = calls.slice(0, 3).join(and);
  return calls.length > 3 ? `${shown}, …` : shown;
}

/** Undefined where nothing came back, and where it is not about the calls. */
function outcomeOf(told: Told, step: Step): string | undefined {
  if (kindOf(told) === "steps") return undefined;
  const text = step.calls.at(-1)?.outcome?.text.trim();
  return text === undefined || text === "" ? undefined : `"${shorten(text, OUTCOME_MAX)}"`;
}

/** One line, cut between characters: half a surrogate pair would not survive as UTF-8. */
function shorten(text: string, max: number): string {
  const trimmed = text.trim();
  const head = trimmed.slice(0, 4 * max).toWellFormed();
  const characters = Array.from(head.replace(/[\s\p{Cc}]+/gu, " "));
  if (head.length === trimmed.length && characters.length <= max) return characters.join("");
  return `${characters.slice(0, max).join("")}…`;
}
