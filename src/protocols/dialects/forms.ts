import { alternatives } from "../../languages/languages.ts";
import type { Work } from "../../work.ts";
import { type JsonObject, jsonText, nonEmpty } from "../json/json.ts";
import { fillSchema } from "../schema-fill/schema-fill.ts";
import { nameWithInput } from "./blocks.ts";
import { type Dialect, endWordIn, READ_MAX } from "./dialect.ts";
import { argsText, endLike, objectsIn } from "./json-actions.ts";

const SHOWS_BLOCK =
  /\b(?:one|single|only)\b[^.\n]{0,48}\bblock\b|\breturn (?:one|only|a single)\b[^.\n]{0,24}\bcode\b|\b(?:actions?|commands?)\b[^`\n]{0,120}```(?!\w{0,16}\n)[^`\n]{1,200}```/i;
const ACT = alternatives("actLabel");
/** On a line of its own, or quoted. */
const SHOWS_LABEL = new RegExp(`(?:^[ \\t]{0,8}|["'\`«「])((?:next )?(?:${ACT}))[ \\t]{0,2}[:：][ \\t]{0,4}\\S`, "im");

const SHOWS_OBJECT = new RegExp(`\\{[^{}]{0,400}"(?:action|${ACT})"\\s{0,4}:`, "i");

/** The form that instructions show an agent which is offered no tools. A person who shows code is no instruction. */
export function shownForm(instructions: string, work: Work): Dialect | undefined {
  const text = instructions.slice(0, READ_MAX);
  if (!work.spend(text.length / 4)) return undefined;
  if (SHOWS_BLOCK.test(text)) return blockAtEnd(text);
  if (SHOWS_OBJECT.test(text) && endWordIn(text) !== undefined) return flatObject;
  const [, label] = SHOWS_LABEL.exec(text) ?? [];
  return label === undefined ? undefined : labelledLine(label);
}

/** Some take the answer: `stop [answer]`. */
const COMMAND =
  /(?:^|[`:])[ \t]{0,4}(?:(echo [A-Z][A-Z_]{7,64}|submit)[ \t]{0,4}(?:[`\n]|$)|(stop|finish|submit) \[(?:answer|content|text|response)\])/g;
/** What documents a command is one with its signature. */
const BETWEEN_SENTENCES = /\n(?!\s{0,16}signature:)|(?<=[.!?])\s/;
const ENDS_RUN =
  /^\W{0,4}(?:to finish[,:]|(?:finish|end) (?:with|by)\b)|\b(?:when|once) (?:you are )?(?:done|finished|through)\b|\b(?:task|session)(?: is| has been)? (?:completed?|finished|done|over)\b|\b(?:ends?|finish(?:es)?|completes?|terminates?) (?:the|this|your) (?:task|session|run)\b/i;
const DENIES = /\b(?:not|never|instead|before|until|unless)\b|n['’]t\b/i;

/** The only command of a sentence that says that the run ends: any other would be an action. */
function lastCommandIn(text: string) {
  for (const sentence of text.split(BETWEEN_SENTENCES)) {
    const [match, another] = sentence.matchAll(COMMAND);
    if (match === undefined || another !== undefined || DENIES.test(sentence) || !ENDS_RUN.test(sentence)) continue;
    return { command: match[1] ?? match[2] ?? "", takesText: match[2] !== undefined };
  }
  return undefined;
}

/** A block of a language goes by its name; of others the first word is what is done: `click [12]`. The last command is none. */
function blockAtEnd(instructions: string): Dialect {
  const { command, takesText = false } = lastCommandIn(instructions) ?? {};
  const isLast = (text: string) =>
    command !== undefined && (takesText ? text.startsWith(`${command} [`) && text.endsWith("]") : text === command);
  const read: Dialect["read"] = (text, _, work) => {
    if (!work.spend(text.length / 4)) return undefined;
    const [before = "", inside = "", after, more] = text.split("```", 4);
    const [, tool = "", args = ""] =
      /^([\w+-]{0,32})[ \t]{0,8}\n([\s\S]+)$/.exec(inside) ?? /^\s{0,8}(\w{1,32})([\s\S]{0,})$/.exec(inside) ?? [];
    if (after?.trim() !== "" || more !== undefined || (tool === "" && args.trim() === "")) return undefined;
    if (isLast(inside.trim()) || isLast(args.trim())) return [{ calls: [], text }];
    return [{ calls: [{ tool: tool || "block", args: args.trim() }], text: before.trim() }];
  };
  if (command === undefined) return { name: "block", read };
  return {
    name: "block",
    read,
    finishNote: () => `Take no further action but ${command}, and give your whole answer with it.`,
    finalText({ text, sample, work }) {
      if (read(text, "answer", work)?.[0]?.calls.length === 0) return text;
      const [fence = "```\n"] = /```(?:[\w+-]{0,32}[ \t]{0,8}\n(?!\s{0,8}```))?/.exec(sample) ?? [];
      const said = text.replaceAll("```", "").trim();
      if (takesText) return `${fence}${isLast(said) ? said : `${command} [${said.replace(/\s+/g, " ")}]`}\`\`\``;
      return `${said}\n\n${fence}${command}\n\`\`\``;
    },
  };
}

const ACT_KEY = new RegExp(`^(?:action|${ACT})$`, "i");

/** An object that is all of a text, whose member `act` names the action. */
function flatIn(text: string, work: Work) {
  const [{ object } = { object: {} as JsonObject }, another] = objectsIn(text, work);
  const names = Object.keys(object);
  const at = names.findIndex((name) => ACT_KEY.test(name) && nonEmpty(object[name]) !== undefined);
  const act = another === undefined ? names[at] : undefined;
  return act === undefined ? undefined : { object, act, before: names.slice(0, at), behind: names.slice(at + 1) };
}

/** Sentences that lead to an action, the action, and behind it what it is about. */
const flatObject: Dialect = {
  name: "flat-object",
  read(text, _, work) {
    const flat = flatIn(text, work);
    if (flat === undefined) return undefined;
    const { object, act, before, behind } = flat;
    const action = String(object[act]);
    const isThought = (name: string) => /\S\s\S/.test(String(object[name]));
    const named = nameWithInput(action);
    const names = [...before.filter((name) => !isThought(name)), ...behind];
    const about = Object.fromEntries(names.map((name) => [name, object[name]]));
    const args = named?.args ? { ...about, input: named.args } : about;
    return [{ calls: [{ tool: named?.tool ?? action, args: argsText(args) }], text: "" }];
  },
  /** Its action is the last one that the instructions list, and what stands behind that is the text. */
  finalText({ text, ended, sample, instructions, work }) {
    const flat = flatIn(sample, work);
    if (flat === undefined) return text;
    const { object, act, behind } = flat;
    const told = behind.filter((name) => typeof object[name] === "string" || object[name] === null);
    const words = Object.fromEntries(told.map((name) => [name, { const: text }]));
    const last = endLike(object, { ...words, [act]: { const: endWordIn(instructions) } }, told.length > 0);
    return jsonText(fillSchema(last, text, ended, work)) ?? text;
  },
};

function labelledLine(label: string): Dialect {
  return {
    name: "labelled-line",
    read(text, _, work) {
      if (!work.spend(text.length / 4)) return undefined;
      const [line, another] = text.matchAll(new RegExp(`^[ \\t]{0,8}${label}[ \\t]{0,2}:([^\\n]{0,4000})`, "gim"));
      const action = line?.[1]?.trim() ?? "";
      if (line === undefined || another !== undefined || action === "") return undefined;
      return [{ calls: [{ tool: label.toLowerCase(), args: action }], text: text.slice(0, line.index).trim() }];
    },
  };
}
