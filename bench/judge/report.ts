import { shareOf } from "../detection/interval.ts";
import { share, table } from "../detection/table.ts";
import { verdictOf } from "../detection/verdict.ts";
import { tokenTally } from "../../src/session/session.ts";
import type { PlayedWithJudge } from "./play.ts";

/** Some conversations, played with and without a judge. */
export interface JudgedSet {
  readonly name: string;
  readonly alone: readonly PlayedWithJudge[];
  readonly withJudge: readonly PlayedWithJudge[];
}

/** Markdown: what rules find and flag alone and with a judge; then what the judge was asked. */
export function judgeReport(sets: readonly JudgedSet[]): string {
  return [outcomes(sets), questions(sets)].join("\n\n");
}

function outcomes(sets: readonly JudgedSet[]): string {
  const head = ["", "found", "flagged", "healthy: forced or ended", "loops touched too early"];
  const rows = sets.flatMap(({ name, alone, withJudge }) => [
    [`${name}: rules`, ...found(alone)],
    [`${name}: rules and judge`, ...(isAnswered(withJudge) ? found(withJudge) : ["not answered", "", "", ""])],
  ]);
  return table(head, rows);
}

function isAnswered(played: readonly PlayedWithJudge[]): boolean {
  return played.some(({ prompts }) => prompts.some(({ looping }) => looping !== undefined));
}

function found(played: readonly PlayedWithJudge[]): readonly string[] {
  const verdicts = played
    .filter(({ of }) => of.counts)
    .map(({ of, flags }) => verdictOf({ name: "", flags: () => flags }, of));
  const loops = verdicts.filter(({ of }) => of.loops);
  const healthy = verdicts.filter(({ of }) => !of.loops);
  const part = (all: typeof verdicts, is: (one: (typeof verdicts)[number]) => boolean) =>
    share(shareOf(all.filter(is).length, all.length));
  return [
    part(loops, ({ right }) => right.length > 0),
    part(healthy, ({ flags }) => flags.length > 0),
    part(healthy, ({ flags }) => flags.some(({ rung }) => rung !== "nudge")),
    part(loops, ({ wrong }) => wrong.length > 0),
  ];
}

function questions(sets: readonly JudgedSet[]): string {
  const head = [
    "",
    "healthy runs asked about",
    "questions per 100 healthy steps",
    "missed loops asked about in time",
    "questions",
    "answered",
    "said to loop: healthy",
    "tokens of a question: median",
    "p90",
  ];
  return table(head, sets.map(questionRow));
}

function questionRow({ name, alone, withJudge }: JudgedSet): readonly string[] {
  const healthy = withJudge.filter(({ of }) => of.counts && !of.loops);
  const steps = healthy.reduce((sum, one) => sum + one.steps, 0);
  const asked = healthy.flatMap(({ prompts }) => prompts);
  const all = withJudge.flatMap(({ prompts }) => prompts);
  const tokens = all.map(({ prompt }) => tokensIn(prompt)).sort((a, b) => a - b);
  const at = (part: number) => String(tokens[Math.floor(part * (tokens.length - 1))] ?? "-");
  return [
    name,
    share(shareOf(healthy.filter(({ prompts }) => prompts.length > 0).length, healthy.length)),
    steps === 0 ? "-" : ((100 * asked.length) / steps).toFixed(2),
    missedButAsked(alone, withJudge),
    String(all.length),
    String(all.filter(({ looping }) => looping !== undefined).length),
    String(asked.filter(({ looping }) => looping === true).length),
    at(0.5),
    at(0.9),
  ];
}

/** In time: it loops by then, and a request is still to come that can hear the answer. */
function missedButAsked(alone: readonly PlayedWithJudge[], withJudge: readonly PlayedWithJudge[]): string {
  const missed = alone.flatMap(({ of, flags, steps }, i) => {
    const isMissed = of.counts && of.loops && verdictOf({ name: "", flags: () => flags }, of).right.length === 0;
    const prompts = withJudge[i]?.prompts ?? [];
    return isMissed ? [prompts.some(({ turn }) => turn >= (of.start ?? 0) - 1 && turn < steps - 1)] : [];
  });
  return share(shareOf(missed.filter(Boolean).length, missed.length));
}

function tokensIn(text: string): number {
  const tally = tokenTally();
  tally.add(text);
  return tally.tokens();
}
