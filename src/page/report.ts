import type { DrawnFinding, DrawnStep } from "./assets/drawing.js";

/** A step's texts; the report alone has them, since the file that it is made of is the user's own. */
export interface ReportedText {
  readonly calls: readonly { readonly tool: string; readonly args: string; readonly outcome: string | null }[];
  readonly said: string;
  readonly heard: readonly string[];
}

export interface ReportedConversation {
  readonly id: string;
  readonly task: string;
  readonly steps: readonly (DrawnStep & { readonly text: ReportedText })[];
  readonly findings: readonly DrawnFinding[];
}

/** What a report is made of: the page's own files, by name. */
type Assets = (name: string) => string;

/** Each before those that import it. */
const MODULES = ["htm.js", "drawing.js", "lane.js", "report.js"];

/** Begin and end of a report as one self-contained file, and what stands between them: one piece for each conversation. */
export async function reportParts(asset: Assets, title: string, layout: "one-by-one" | "sides" = "one-by-one") {
  const script = guarded(`"use strict";\n${joined(asset)}\n`);
  const style = ["page.css", "lane.css"]
    .map((name) => asset(name))
    .join("")
    .replaceAll("</", "<\\/");
  const policy = [
    "default-src 'none'",
    `script-src '${await hashOf(script)}'`,
    `style-src '${await hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return {
    begin: [
      '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">',
      `<meta http-equiv="content-security-policy" content="${policy}">`,
      '<meta name="viewport" content="width=device-width, initial-scale=1">',
      `<title>${escaped(title)}</title>`,
      `<style>${style}</style>`,
      `<body><div id="app" data-layout="${layout}"></div>\n`,
    ].join("\n"),
    piece: (conversation: ReportedConversation) =>
      `<script type="application/json" class="conversation">${dataText(conversation)}</script>\n`,
    end: `<script>${script}</script>\n</body>\n</html>\n`,
  };
}

/** JSON in which nothing can end its script element, or begin a comment. */
function dataText(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function guarded(script: string): string {
  return script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}

function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replaceAll(/[&<>"]/g, (character) => names[character] ?? "");
}

async function hashOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}

/** The modules as one classic script: each a function that gives what it exports, which runs from `file:` as well. */
function joined(asset: Assets): string {
  const pieces = MODULES.map((name) => `const ${variableFor(name)} = (() => {\n${asModule(asset(name))}\n})();`);
  return `(() => {\n${pieces.join("\n")}\n})();`;
}

const variableFor = (name: string) => `module_${name.replaceAll(/\W/g, "_")}`;

function asModule(text: string): string {
  const exported: string[] = [];
  const body = text
    .replaceAll(
      /^import (\{[^}]*\}) from\s"\.\/([\w.-]+)";$/gm,
      (_, names: string, name: string) => `const ${names.replaceAll(" as ", ": ")} = ${variableFor(name)};`,
    )
    .replaceAll(/^export ((?:async )?function|const) (\w+)/gm, (_, kind: string, name: string) => {
      exported.push(name);
      return `${kind} ${name}`;
    })
    .replaceAll(/\bexport\{([^}]*)\};?/g, (_, list: string) => {
      for (const one of list.split(",")) exported.push(one.replace(/^(\S+) as (\S+)$/, "$2: $1"));
      return "";
    });
  return `${body}\nreturn { ${exported.join(", ")} };`;
}
