// @ts-check
// A report as one self-contained file, made of the page's own files: by the command line and by the page.

/** Each before those that import it. */
const MODULES = ["htm.js", "drawing.js", "parts.js", "lane.js", "report.js"];
const STYLE = "page.css";

/**
 * Begin and end of a report, and what stands between them: one piece for each conversation.
 * @param {(name: string) => string} asset gives a file of the page by its name
 * @param {string} title
 */
export async function reportParts(asset, title) {
  const script = guarded(`"use strict";\n${joined(asset)}\n`);
  const style = asset(STYLE).replaceAll("</", "<\\/");
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
      `<body><div id="app"></div>\n`,
    ].join("\n"),
    piece: (/** @type {object} */ conversation) =>
      `<script type="application/json" class="conversation">${dataText(conversation)}</script>\n`,
    end: `<script>${script}</script>\n</body>\n</html>\n`,
  };
}

/**
 * A whole report, where files come over the network.
 * @param {(name: string) => Promise<string>} asset
 * @param {string} title
 * @param {readonly object[]} conversations
 */
export async function reportFile(asset, title, conversations) {
  const names = [...MODULES, STYLE];
  const texts = await Promise.all(names.map(asset));
  const files = new Map(names.map((name, i) => [name, texts[i] ?? ""]));
  const { begin, piece, end } = await reportParts((name) => files.get(name) ?? "", title);
  return begin + conversations.map(piece).join("") + end;
}

/**
 * JSON in which nothing can end its script element, or begin a comment.
 * @param {unknown} value
 */
const dataText = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");

/** @param {string} script */
const guarded = (script) => script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");

/** @type {Readonly<Record<string, string>>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** @param {string} text */
const escaped = (text) => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "");

/** @param {string} text */
async function hashOf(text) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}

/**
 * The modules as one classic script: each a function that gives what it exports, which runs from `file:` as well.
 * @param {(name: string) => string} asset
 */
function joined(asset) {
  const pieces = MODULES.map((name) => `const ${variableFor(name)} = (() => {\n${asModule(asset(name))}\n})();`);
  return `(() => {\n${pieces.join("\n")}\n})();`;
}

/** @param {string} name */
const variableFor = (name) => `module_${name.replaceAll(/\W/g, "_")}`;

/** @param {string} text */
function asModule(text) {
  /** @type {string[]} */
  const exported = [];
  const body = text
    .replaceAll(
      /^import (\{[^}]*\}) from\s"\.\/([\w.-]+)";$/gm,
      (_, names, name) => `const ${names.replaceAll(" as ", ": ")} = ${variableFor(name)};`,
    )
    .replaceAll(/^export ((?:async )?function|const) (\w+)/gm, (_, kind, name) => {
      exported.push(name);
      return `${kind} ${name}`;
    })
    .replaceAll(/\bexport\{([^}]*)\};?/g, (_, list) => {
      for (const one of list.split(",")) exported.push(one.replace(/^(\S+) as (\S+)$/, "$2: $1"));
      return "";
    });
  return `${body}\nreturn { ${exported.join(", ")} };`;
}
