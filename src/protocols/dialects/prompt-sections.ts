/** A part of a prompt that its author has marked. */
export interface PromptSection {
  readonly start: number;
  readonly end: number;
  readonly body: string;
}

/** The first `<name>…</name>` of a text; one that is not closed ends with the text. */
export function tagged(text: string, name: string): PromptSection | undefined {
  const open = `<${name}>`;
  const at = text.indexOf(open);
  if (at === -1) return undefined;
  const start = at + open.length;
  const close = text.indexOf(`</${name}>`, start);
  const end = close === -1 ? text.length : close;
  return { start: at, end: close === -1 ? end : close + name.length + 3, body: text.slice(start, end) };
}

// Prompts that were written with their program's indentation keep it.
const HEADING =
  /^(?:={2,6}|\*\*)(.*)$|^[ \t]{0,8}#{1,6}[ \t](.*)$|^[ \t]{0,8}-{2,8}[ \t]{1,4}(\S.{0,120}?)[ \t]{1,4}-{2,8}[ \t]*$/gm;
const MARKS = /^[\s#=*]+|[\s#=*:]+$/g;
const RULE = /^[ \t]{0,8}[-=_]{4,200}$/;
/** Longer ones are no titles. In characters. */
const MAX_TITLE = 120;

/** The parts under headings (`## Title`, `**Title**`, `== Title ==`, `-- Title --`), by title. A part ends at the next heading. */
export function headed(text: string): readonly (PromptSection & { readonly title: string })[] {
  const heads = [...text.matchAll(HEADING)].filter(([line]) => line.length <= MAX_TITLE);
  return heads.map((head, index) => {
    const end = heads[index + 1]?.index ?? text.length;
    const title = (head[1] ?? head[2] ?? head[3] ?? "").replace(MARKS, "");
    return { title, start: head.index, end, body: withoutRule(text.slice(head.index + head[0].length, end)) };
  });
}

/** A section by its name, as a tag or as a heading. */
export function tagOrHeading(text: string, name: string): PromptSection | undefined {
  return tagged(text, name) ?? headed(text).find(({ title }) => title.toLowerCase() === name.toLowerCase());
}

/** A line of dashes between two parts is no part of the first. */
function withoutRule(body: string): string {
  const text = body.trimEnd();
  const from = text.lastIndexOf("\n") + 1;
  return from > 0 && RULE.test(text.slice(from)) ? text.slice(0, from) : body;
}
