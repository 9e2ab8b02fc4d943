import { readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";

export interface Pattern {
  readonly file: string;
  readonly pattern: RegExp;
}

export function literalPatterns(files: readonly string[], root: string): readonly Pattern[] {
  return files.flatMap((file) => {
    const found: Pattern[] = [];
    const collect = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      const { type, regex } = node as { type?: unknown; regex?: { pattern: string; flags: string } };
      if (type === "Literal" && regex !== undefined)
        found.push({ file, pattern: new RegExp(regex.pattern, regex.flags) });
      else for (const child of Object.values(node)) collect(child);
    };
    collect(parseSync(file, readFileSync(`${root}/${file}`, "utf8")).program);
    return found;
  });
}

/** All that are made while the modules are loaded. */
export async function madePatterns(files: readonly string[]): Promise<readonly Pattern[]> {
  const found: Pattern[] = [];
  const native = globalThis.RegExp;
  const makers = files.filter((file) =>
    MAKES.test(readFileSync(new URL(`../../../src/${file}`, import.meta.url), "utf8")),
  );
  for (const file of makers) {
    const path = new URL(`../../../src/${file}`, import.meta.url).pathname;
    // What it imports is loaded then, so that no pattern of another module is taken for its own.
    await import(/* @vite-ignore */ path);
    globalThis.RegExp = new Proxy(native, {
      construct(target, [source, flags]) {
        const pattern = new target(source, flags);
        found.push({ file, pattern });
        return pattern;
      },
    });
    // A query makes it another module, which is loaded although the first one was.
    await import(/* @vite-ignore */ `${path}?patterns`).finally(() => {
      globalThis.RegExp = native;
    });
  }
  return found;
}

const MAKES = /new RegExp\(/;

const GENERIC = [" ", "\t", "\n", "a", "1", "-", "“", "_", ".", ",", ":", "\\", '"', "あ"];
const SAMPLES: Readonly<Record<string, string>> = { s: " ", w: "a", d: "1", W: "-", S: "x", n: "\n", t: "\t", p: "b" };

/** What the pattern is made of, as far as its source shows: words, signs, and a sample of each class. */
export function partsOf({ source }: RegExp): readonly string[] {
  const words = source.replace(/\\[a-zA-Z]/g, " ").match(/[\p{L}_]{2,}/gu) ?? [];
  const escapes = [...source.matchAll(/\\([a-zA-Z])/g)].flatMap(([, name]) => SAMPLES[name ?? ""] ?? []);
  const signs = source.match(/[-_:;,.<>@/"'=&#~|]|[^\x20-\x7e]/g) ?? [];
  return [...new Set([...escapes, ...signs, ...words])].slice(0, 10);
}

/** Texts of about so many characters that may make the pattern try a lot. */
function* pumps(pattern: RegExp): Generator<(length: number) => string> {
  const own = partsOf(pattern);
  const joined = (units: readonly string[], more: readonly string[]) =>
    units.flatMap((one) => more.map((other) => one + other));
  const pairs = joined(own, own);
  const pumped = (unit: string, head: string) => (length: number) =>
    `${head}${unit.repeat(Math.ceil(length / unit.length))}\u0001`;
  for (const unit of new Set([...own, ...GENERIC, ...pairs]))
    for (const head of ["", ...own.slice(0, 4)]) yield pumped(unit, head);
  for (const unit of joined(pairs, own.slice(0, 5))) yield pumped(unit, "");
}

const SHORT = 3_000;
/** A linear pattern takes a tenth of it. In ms. */
const SUSPICIOUS = 0.4;

/** A text for which the pattern's time grows faster than the text; undefined if none was found. */
export function pumpedBy({ pattern }: Pattern): string | undefined {
  for (const pump of pumps(pattern)) {
    if (timeOf(pattern, pump(SHORT)) < SUSPICIOUS) continue;
    if (Array.from({ length: ROUNDS }).every(() => grows(pattern, pump))) return JSON.stringify(pump(24));
  }
  return undefined;
}

/** All must say so: one may be chance, beside other work. */
const ROUNDS = 5;
/** A linear pattern takes four times as long for a text that is four times as long; a quadratic one sixteen times. */
const FACTOR = 9;

/** Measured in turns, so that a busy time falls on both; what runs meanwhile only makes a measurement longer. */
function grows(pattern: RegExp, pump: (length: number) => string): boolean {
  const [short, long] = [pump(SHORT), pump(4 * SHORT)];
  const taken = Array.from({ length: 3 }, () => [timeOf(pattern, short), timeOf(pattern, long)] as const);
  return Math.min(...taken.map((one) => one[1])) > FACTOR * Math.min(...taken.map((one) => one[0]));
}

/** In ms. */
function timeOf(pattern: RegExp, text: string): number {
  const from = performance.now();
  pattern.lastIndex = 0;
  text.replace(pattern, "");
  return performance.now() - from;
}
