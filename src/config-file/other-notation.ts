import type { Place } from "./locate.ts";

interface Told extends Place {
  readonly message: string;
}

interface Notation {
  readonly looks: RegExp;
  /** Only of a line that is not indented: elsewhere it is right. */
  readonly isOutermost?: true;
  readonly message: string;
}

/** What people write who think of another notation. Compared with the text at the place of a mistake, and with its line. */
const NOTATIONS: readonly Notation[] = [
  { looks: /^\/[/*]/, message: "A comment begins with # here, in a file of JSON, too." },
  {
    looks: /^["']?<<["']?\s*:/,
    message:
      "Merge keys (<<) mean nothing here; a policy takes over another one by `extends`, all else is written out.",
  },
  {
    looks: /^(?:[\w"']+:\s+)?["']?\{\{/,
    message: "A template ({{ … }}) was not filled in; check the file that the template makes.",
  },
  {
    looks: /^(?:<{7}|={7}|>{7}|\|{7})(?: |$)/,
    message: "A merge conflict was not resolved; keep one of its sides, and remove its marks.",
  },
  {
    looks: /^<(?:!|html\b|\?xml)/i,
    message: "This is a web page, no configuration; the file was probably not downloaded.",
  },
  {
    looks: /^(?:\[[\w.]+\]\s*$|[\w.-]+\s*=)/,
    isOutermost: true,
    message: "The file is YAML or JSON, in which a value stands behind a colon and a space: `mode: observe`.",
  },
  {
    looks: /^(?:mode|policy|rollout):\S/,
    isOutermost: true,
    message: "Between a name's colon and its value there must be a space.",
  },
  {
    looks: /^["']?(?:apiVersion|metadata|data)["']?\s*:/,
    isOutermost: true,
    message: "This is a manifest for Kubernetes; the configuration is what stands under its `data`, or its file alone.",
  },
  {
    looks: /^(?:[\w"']+:\s+)?["']?\$(?!schema\b)(?:[A-Za-z_]|\{)/,
    message:
      "Variables ($NAME) are not filled in here; a secret's place is { env: NAME }, any other value is written out.",
  },
  {
    looks: /^\d{3}\s*[,}]/,
    message: "A comma stands between two values; write a number without commas.",
  },
];

/** Mistakes, those of another notation told as such, and once: the reader of YAML sees strange names in them. */
export function inOtherNotation<One extends Told>(source: string, told: readonly One[]): readonly One[] {
  const lines = source.split("\n");
  const seen = new Set<string>();
  return told.flatMap((one) => {
    const line = lines[one.line - 1] ?? "";
    const texts = [line.slice(one.column - 1), line.trimStart()];
    const notation = NOTATIONS.find(({ looks, isOutermost }) =>
      isOutermost === true ? looks.test(line) : texts.some((text) => looks.test(text)),
    );
    const message = notation?.message;
    if (message === undefined) return [one];
    const isKnown = seen.has(message);
    seen.add(message);
    return isKnown ? [] : [{ ...one, message }];
  });
}
