import { jsonText } from "../json/json.ts";
import { isEndFlag } from "../schema-fill/schema-fill.ts";

/** The form in which a prompt asks for actions, as far as its words tell. */
interface ActionForm {
  /** The member that has the list. */
  readonly list: string;
  /** The member that says that all is done, if there is one. */
  readonly flag: string | undefined;
  /** The member that says why; where prose stands in front of a block, that does. */
  readonly words: string | undefined;
  readonly isFenced: boolean;
}

const LIST = /["'`]((?:\w{1,24}_)?actions)["'`]\s{0,4}:\s{0,4}\[/;
const FLAG = /["'`](\w{1,32})["'`]\s{0,4}:\s{0,4}(?:true|false)\b/gi;
/** Names under which agents say something to their user, the likeliest first. */
const WORDS = ["explanation", "message", "answer", "summary", "thought", "reasoning"];
/** Longer instructions are read as far as this. In characters. */
const READ_MAX = 32_768;

/** Undefined where it shows no list of actions: then any text is an end. */
export function demandedForm(instructions: string): ActionForm | undefined {
  const text = instructions.slice(0, READ_MAX);
  const list = LIST.exec(text)?.[1];
  if (list === undefined) return undefined;
  const flags = [...text.matchAll(FLAG)].map(([, name]) => name ?? "");
  const isFenced = /```json\b/i.test(text);
  return { list, flag: flags.find(isEndFlag), words: WORDS.find((name) => text.includes(`"${name}"`)), isFenced };
}

/** An answer in this form that does nothing more. */
export function ended({ list, flag, words, isFenced }: ActionForm, text: string): string {
  const json = jsonText({
    ...(!isFenced && { [words ?? "message"]: text }),
    [list]: [],
    ...(flag !== undefined && { [flag]: true }),
  });
  return isFenced ? fenced(text, json ?? "{}") : (json ?? text);
}

/** Prose, and behind it a block. */
export function fenced(text: string, json: string): string {
  return `${text}\n\n\`\`\`json\n${json}\n\`\`\``;
}
