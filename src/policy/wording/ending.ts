import { type OwnWords, type SentenceName, type Sentences, standardSentences } from "./sentences.ts";

/** Sentences that a run ends with before its task is done. */
const ENDING = ["stopped", "stopped:budget", "stopped:plan", "stopped:operator"] as const satisfies SentenceName[];

/** What the guard says at a run's end is a few sentences, at the beginning of what an agent hands on. In characters. */
const LONGEST = 4_000;
const HEAD = 400;

const ESCAPE = /\\u([\da-f]{4})/gi;
const unescaped = (_: string, code: string): string => String.fromCharCode(parseInt(code, 16));

/** Whether a result hands on that the guard has ended the run behind it: a delegate's, whatever the words of its policy are. */
export function tellsEnding(text: string, { wording = {} }: { readonly wording?: OwnWords }): boolean {
  if (text.length > LONGEST) return false;
  const beginning = text.slice(0, HEAD);
  const head = beginning.includes("\\") ? beginning.replace(ESCAPE, unescaped) : beginning;
  return standard.some((sentence) => head.includes(sentence)) || endingsOf(wording).some((one) => head.includes(one));
}

const standard = endingsOf(standardSentences);

/** Each up to what is filled in. */
function endingsOf(words: Readonly<Record<string, Partial<Sentences>>>): readonly string[] {
  const sentences = Object.values(words).flatMap((own) => ENDING.map((name) => own[name] ?? ""));
  return sentences.map((sentence) => sentence.replace(/\{.*/s, "").trim()).filter((sentence) => sentence !== "");
}
