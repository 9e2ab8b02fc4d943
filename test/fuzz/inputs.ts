import { createHash } from "node:crypto";
import fc from "fast-check";

const tokens = fc.oneof(
  fc.constantFrom(
    ...'{ } [ ] " \\ \\u \\ud800 : , \n \r \n\n [DONE] null -0 1e999 "__proto__": "constructor":{} \0 \ufeff \u2028 \ud800'.split(
      " ",
    ),
    ..."*a|<<: *a|&a |- |!!binary |\t|data: |event: |Action: |Observation:|Thought:|```python\n|```|<tool_call>|[[ ## | ## ]]".split(
      "|",
    ),
  ),
  fc.string({ maxLength: 8 }),
  fc.json({ maxDepth: 2 }),
);

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.nat(24),
  put: tokens,
  again: fc.integer({ min: 1, max: 40 }),
});

export function damaged(texts: readonly string[]): fc.Arbitrary<string> {
  const changed = fc.tuple(fc.constantFrom(...texts), fc.array(edit, { maxLength: 5 })).map(([text, edits]) =>
    edits.reduce((now, { at, cut, put, again }) => {
      const from = Math.floor(at * now.length);
      return now.slice(0, from) + put.repeat(again) + now.slice(from + cut);
    }, text),
  );
  return fc.oneof(
    { weight: 4, arbitrary: changed },
    { weight: 1, arbitrary: fc.array(tokens, { maxLength: 40 }).map((all) => all.join("")) },
  );
}

export function misshapen(values: readonly unknown[]): fc.Arbitrary<string> {
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom<unknown>(JSON.parse('{"__proto__":{"role":"user"}}'), "", null, -1, 1e300, [], [[]]),
  );
  const change = fc.tuple(fc.nat(), anything);
  return fc
    .tuple(fc.constantFrom(...values), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) =>
      JSON.stringify(changes.reduce((now, [pick, other]) => replaced(now, other, pick), value)),
    );
}

function replaced(value: unknown, other: unknown, pick: number): unknown {
  const places: (() => void)[] = [];
  const copy = structuredClone(value);
  const visit = (node: unknown) => {
    if (typeof node !== "object" || node === null) return;
    for (const key of Object.keys(node)) {
      places.push(() => Reflect.set(node, key, other));
      visit(Reflect.get(node, key));
    }
  };
  visit(copy);
  places[pick % places.length]?.();
  return copy;
}

const cutting = fc.tuple(
  fc.array(fc.nat(), { maxLength: 6 }),
  fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 2 }),
);

/** A text's bytes as they come over a wire: cut anywhere, a few of them flipped; where, the text itself decides. */
export function piecesOf(text: string): readonly Uint8Array[] {
  const seed = createHash("sha256").update(text).digest().readInt32LE();
  const [[cuts, flips] = [[], []]] = fc.sample(cutting, { seed, numRuns: 1 });
  const bytes = new TextEncoder().encode(text);
  for (const [at, byte] of flips) if (bytes.length > 0) bytes[at % bytes.length] = byte;
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
}
