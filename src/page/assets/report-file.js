// A report as one self-contained file, made of the page's own files: by the command line and by the page.

/** Each before those that import it. */
const MODULES = ["htm.js", "drawing.js", "words.js", "parts.js", "lane.js", "report.js"];

/** Begin and end of a report, and what stands between them: one piece for each conversation. */
export async function reportParts(asset, title) {
  const script = guarded(`"use strict";\n${joined(await Promise.all(MODULES.map(asset)))}\n`);
  const style = (await asset("page.css")).replaceAll("</", "<\\/");
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
    piece: (conversation) =>
      `<script type="application/json" class="conversation">${dataText(conversation)}</script>\n`,
    end: `<script>${script}</script>\n</body>\n</html>\n`,
  };
}

/** JSON in which nothing can end its script element, or begin a comment. */
const dataText = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");

const guarded = (script) => script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (text) => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "");

async function hashOf(text) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}

/** The modules as one classic script: each a function that gives what it exports, which runs from `file:` as well. */
function joined(texts) {
  const pieces = texts.map((text, i) => `const ${variableFor(MODULES[i] ?? "")} = (() => {\n${asModule(text)}\n})();`);
  return `(() => {\n${pieces.join("\n")}\n})();`;
}

const variableFor = (name) => `module_${name.replaceAll(/\W/g, "_")}`;

function asModule(text) {
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
