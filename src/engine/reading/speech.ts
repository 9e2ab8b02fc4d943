import { alternatives, alternativesBesides, HAN, wordsFor } from "../../languages/languages.ts";
import type { Sign } from "../../text/sign.ts";
import { withoutStamps } from "../fingerprint/volatile.ts";

/** Only the beginning says what a message is; what follows may quote anything. In characters. */
const HEAD = 400;

/** How harnesses begin what no person has said: validation errors, hook feedback, format reminders, requests to repair. */
const AUTOMATED: readonly RegExp[] = [
  /\bautomated (feedback|message|reminder)\b|\bnot (a message from the user|user input)\b/i,
  /\bfail(?:ed|s) (the )?validation\b|\bvalidation[ _](errors?|feedback)\b|\bfix the errors?,? and try again\b/i,
  /^\W{0,3}(\w+ ){0,3}hook (feedback|(blocking )?error)\b/i,
  /\b(could not|cannot|unable to|failed to) (be )?parsed?\b.{0,120}\b(format|json|output|answer|response)\b/i,
  /\byour (last|previous) (response|answer|message|output) (was|did|could|failed|must|contained)\b/i,
  /^\W{0,3}(analy[sz]e|review) the (tool|function|action)('s)? (result|output)\b/i,
  /^\W{0,3}(\w+ ){0,2}(planning|budget|step|loop) (nudge|warning|reminder)\b/i,
  // The label of what came back, in agents that act in plain text.
  /^\W{0,3}observation[ \t]{0,4}:/i,
  /^\W{0,3}(\w+ ){0,3}(error: )?(invalid|wrong|missing) (format|output|json|action)\b/i,
  /^\W{0,3}error in (code )?parsing\b/i,
];

/** Whether a user message is a harness's own: it starts nothing afresh, and is no task. */
export function isFeedback(text: string): boolean {
  const head = text.slice(0, HEAD);
  return AUTOMATED.some((pattern) => pattern.test(head));
}

/**
 * What the assistant heard after a step: nothing, a prompt to go on, a text that was said before (a harness that sends its
 * prompt again, a heartbeat), or a user with news.
 */
export type Heard = "nothing" | "prompt" | "again" | "user";

export function heardSignature(text: string, sign: Sign): string {
  return signatureOf(plainText(withoutStamps(text)), sign);
}

function signatureOf(plain: string, sign: Sign): string {
  return sign(`heard\u0000${plain}`);
}

/** What was heard after one step: the signature of each text, and all of them as they are compared. */
interface HeardTexts {
  readonly signatures: readonly string[];
  readonly plain: string;
}

/** Each text is read once, but for those that times and dates stand in. */
export function readHeard(texts: readonly string[], sign: Sign): HeardTexts {
  const signatures: string[] = [];
  let plain = "";
  for (const text of texts) {
    const unstamped = withoutStamps(text);
    const signed = plainText(unstamped);
    signatures.push(signatureOf(signed, sign));
    const said = unstamped === text ? signed : plainText(text);
    if (said !== "") plain = plain === "" ? said : `${plain} ${said}`;
  }
  return { signatures, plain };
}

/** Case, punctuation, emoji and spacing gone: what is left is what was said. */
export function plainText(text: string): string {
  return inOneForm(text.toLowerCase())
    .replace(isAscii(text) ? GAP_IN_ASCII : GAP, " ")
    .trim();
}

/** Between two words, but for a blank alone. */
const GAP = /(?: ?[^\p{L}\p{N} ]| {2})[^\p{L}\p{N}]*/gu;
const GAP_IN_ASCII = /(?: ?[^a-z0-9 ]| {2})[^a-z0-9]*/g;

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/** In characters. */
const PIECE = 1_024;
/** However short the text is, so much of it is told in letters that take the place of one. */
const SPARE = 64;

/** One letter may become eighteen: what is longer than twice the text is left out, and never made. */
function inOneForm(text: string): string {
  const most = 2 * text.length + SPARE;
  if (text.length <= PIECE) return text.normalize("NFKC").slice(0, most);
  let form = "";
  for (let at = 0; at < text.length && form.length < most; at += PIECE)
    form += text.slice(at, at + PIECE).normalize("NFKC");
  return form.slice(0, most);
}

const ANNOUNCEMENT = new RegExp(
  String.raw`(^|[.!\n]\s*)((?:ok(?:ay)?|sure|now|next|first),? )?(${alternatives("announcing", "en")})\b`,
  "i",
);

const ANNOUNCEMENT_ABROAD = new RegExp(wordsFor("announcing", "en"), "iu");

export function announces(text: string): boolean {
  return text.length <= 400 && (ANNOUNCEMENT.test(text) || ANNOUNCEMENT_ABROAD.test(text));
}

/** "Go on, but skip the tests" is more than this, and thus news. */
const GO_ON = new RegExp(
  String.raw`^\W*((please|ok(?:ay)?|yes|just)[,\s]+)*(${alternatives("goOn", "en")})(\W+(with|working|on|to|from|where|you|left|off|the|your|this|it|task|work|steps?|now|please|until|are|done))*\W*$`,
  "i",
);
/** With a short word of courtesy before it, or behind. */
const GO_ON_ABROAD = new RegExp(
  String.raw`^\P{L}*(?:\p{L}{2,8}\P{L}+)?(?:${alternativesBesides("goOn", "en", ...HAN)})(?:\P{L}+\p{L}{2,8})?\P{L}*$`,
  "iu",
);
const GO_ON_HAN = new RegExp(String.raw`^\P{L}*[请請]?(?:${alternatives("goOn", ...HAN)})\P{N}{0,12}$`, "u");
/** Automatic prompt: a harness repeats the same words, where a person who asks again says what is wanted. */
const PUSH =
  /\b(continue|proceed|keep (going|working|trying)|try again|go on|do not (stop|give up)|(use|call|provide) (an?|the|(at least )?one|your)\b.{0,24}\b(tool|function|action|command)s?|no (valid )?(tool|function|action|command|code)\b|(reply|response|answer|message|output) (was|is|must|should)|(correct|invalid) (format|json))\b/i;
/** A guard's own words, ours or another's, are not a user's. */
const GUARD = /^\s*[[<(](unloop|guard|system|reminder|loop)/i;

export function hearing(texts: readonly string[], sigs: readonly string[], before: ReadonlySet<string>): Heard {
  if (texts.length === 0) return "nothing";
  const news = texts.some((text, i) => isNews(text) && !before.has(sigs[i] ?? ""));
  if (news) return "user";
  return texts.some((text) => isNews(text) && !PUSH.test(text)) ? "again" : "prompt";
}

const SET_OUT = /^\s{0,8}(?:[[<{(#*【]|\p{Extended_Pictographic})|^[^\n]{1,60}:[ \t]{0,8}\n|<\/?[a-z][\w-]{0,40}>/iu;
const COUNTER = /\d\s?(?:\/|of)\s?\d/i;

/** Set out as programs do it: marks, tags, a heading; or a prompt to go on that counts its rounds. */
export function isAutomated(text: string): boolean {
  return SET_OUT.test(text) || (COUNTER.test(text) && (PUSH.test(text) || isPrompt(text.trim())));
}

/** After the step a user asked for something, or told it; a mere farewell does neither. */
export function bringsNews({ heard, heardCloses }: { readonly heard: Heard; readonly heardCloses?: number }): boolean {
  return heard === "user" && heardCloses === undefined;
}

/** A longer text says more than "go on". In characters. */
const LONGEST_PROMPT = 300;

/** More than "go on", and not a guard's word. */
export function isNews(text: string): boolean {
  const said = text.trim();
  return !isPrompt(said) && !GUARD.test(said) && !isFeedback(said);
}

function isPrompt(said: string): boolean {
  return said.length <= LONGEST_PROMPT && (GO_ON.test(said) || GO_ON_HAN.test(said) || GO_ON_ABROAD.test(said));
}

/** Prompts are longer, but say what they want at their beginning. In characters. */
const SUMMARY_SPAN = 8_000;

const SUMMARY = new RegExp(alternatives("summary"), "i");
const NO_TOOLS = new RegExp(alternatives("noTools"), "i");

/**
 * Whether a user's words are a harness's prompt to compact the history: a summary is to take its place, and is to be said in words
 * alone. @param offersTools without tools on offer that need not be said
 */
export function asksForCompaction(text: string, offersTools: boolean): boolean {
  const head = text.slice(0, SUMMARY_SPAN);
  return SUMMARY.test(head) && (!offersTools || NO_TOOLS.test(head));
}
