/** What a labelled line of a text begins. */
export type LabelKind = "action" | "input" | "observation" | "final" | "other";

interface Label {
  readonly kind: LabelKind;
  /** Ordinary prose has such lines, too: it counts only where its neighbours bear it out. */
  readonly weak: boolean;
}

const rows: readonly (readonly [kind: LabelKind, strength: "strong" | "weak", labels: readonly string[]])[] = [
  ["action", "strong", ["action", "actions"]],
  ["action", "weak", ["tool", "tool name", "tool call", "tool used", "function", "function name", "function call"]],
  ["input", "strong", ["action input", "action inputs", "action args", "action arguments", "action parameters"]],
  ["input", "weak", ["input", "inputs", "args", "arguments", "parameters", "params"]],
  ["input", "weak", ["tool input", "tool args", "tool arguments", "tool parameters"]],
  ["input", "weak", ["function input", "function args", "function arguments", "function parameters"]],
  ["observation", "strong", ["observation"]],
  ["observation", "weak", ["output", "result", "response", "action output", "action result"]],
  ["observation", "weak", ["tool output", "tool result", "tool response"]],
  ["observation", "weak", ["function output", "function result", "function response"]],
  ["final", "strong", ["final answer"]],
  ["final", "weak", ["answer", "final response", "final output", "final result"]],
  ["other", "strong", ["thought"]],
  ["other", "weak", ["reasoning", "question", "plan"]],
];

const labels: ReadonlyMap<string, Label> = new Map(
  rows.flatMap(([kind, strength, names]) =>
    names.map((name): [string, Label] => [name, { kind, weak: strength === "weak" }]),
  ),
);

/** A labelled part of a text. */
export interface Section {
  readonly kind: LabelKind;
  readonly label: string;
  readonly start: number;
  readonly body: string;
}

const words = [...labels.keys()].toSorted((one, other) => other.length - one.length);
const first = [...new Set(words.map((word) => word.split(" ")[0]))].join("|");

// Sticky, tried only at the start of a line, every run bounded: linear however long the text is.
const heading = new RegExp(
  `[ \\t]{0,8}(?:[*#]{1,3}[ \\t]?)?(${words.map((word) => word.replace(" ", "[ \\t_]{1,2}(?:\\d{1,4}[ \\t]{1,2})?")).join("|")})[ \\t]{0,2}\\d{0,4}[ \\t]{0,2}(?:\\*{1,2})?:[ \\t]{0,2}\\*{0,2}`,
  "iy",
);
const anyHeading = new RegExp(`(?:^|\\n)[ \\t*#]{0,10}(?:${first})`, "i");

/** Whether a text may have labelled lines at all: a cheap look before the whole one. */
export function mayHaveLabels(text: string): boolean {
  return anyHeading.test(text);
}

/** The labelled parts of a text, in order. Labels that prose has too count only where they follow what they belong to. */
export function sectionsOf(text: string): readonly Section[] {
  const heads: { kind: LabelKind; label: string; start: number; end: number; weak: boolean }[] = [];
  for (let line = 0; line !== -1; line = nextLine(text, line)) {
    heading.lastIndex = line;
    const match = heading.exec(text);
    if (match === null) continue;
    const label = (match[1] ?? "").toLowerCase().replace(/[ \t_]+(\d+[ \t_]+)?/g, " ");
    const cached = labels.get(label);
    if (cached === undefined) continue;
    const { kind, weak } = cached;
    if (!weak || isBorneOut(kind, heads.at(-1)?.kind))
      heads.push({ kind, label, start: line, end: line + match[0].length, weak });
  }
  const sections = heads.filter(
    ({ kind, weak }, index) => !(weak && kind === "action") || isActedOn(heads[index + 1]?.kind),
  );
  return sections.map(({ kind, label, start, end }, index) => ({
    kind,
    label,
    start,
    body: text.slice(end, sections[index + 1]?.start),
  }));
}

/** An input belongs to an action, an output to either. */
function isBorneOut(kind: LabelKind, before: LabelKind | undefined): boolean {
  if (kind === "input") return before === "action";
  if (kind === "observation") return before === "action" || before === "input";
  return true;
}

function isActedOn(next: LabelKind | undefined): boolean {
  return next === "input" || next === "observation";
}

function nextLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? -1 : end + 1;
}
