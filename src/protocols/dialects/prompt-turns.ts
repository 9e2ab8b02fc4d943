import { alternatives } from "../../languages/languages.ts";

/** How histories name who speaks: the user, the agent, and what the agent has noted for itself. */
const SPEAKER = new RegExp(
  String.raw`^[ \t]{0,8}(?:(${alternatives("userLabel")})|(${alternatives("agentLabel")})|(?:${alternatives("memoLabel")}))[ \t]{0,2}[:：][ \t]{0,2}`,
  "gim",
);
/** Where nothing was done yet, some say so. */
const NOTHING = new RegExp(String.raw`^[\s\W]{0,8}(${alternatives("noHistory")})?[\s\W]{0,8}$`, "i");

export function tellsNothing(history: string): boolean {
  return history.length <= 64 && NOTHING.test(history);
}

/**
 * What a history tells that has only the agent's words, turn by turn: undefined where nobody speaks in it. Turns for another
 * task than the newest are of an earlier run.
 */
export function turnWords(history: string, task: string): readonly string[] | undefined {
  const marks = [...history.matchAll(SPEAKER)];
  if (!marks.some(([, , agent]) => agent !== undefined)) return undefined;
  const words: string[] = [];
  for (const [index, { 0: label, 1: user, 2: agent, index: at }] of marks.entries()) {
    const turnText = history.slice(at + label.length, marks[index + 1]?.index).trim();
    if (agent !== undefined) words.push(turnText);
    else if (user === undefined) words.push(`${words.pop() ?? ""}\n${turnText}`.trim());
    else if (turnText !== task) words.length = 0;
  }
  return words;
}
