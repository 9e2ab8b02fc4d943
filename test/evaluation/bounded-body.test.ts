import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundedBody } from "../../src/evaluation/read/bounded-body.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

const message = (i: number) => ({
  role: i % 2 === 0 ? "user" : "assistant",
  content: `message ${i}, "quoted" \\ and [brackets], {braces}`,
});
const bodyOf = (count: number, more: object = {}) =>
  JSON.stringify({ model: "m", messages: Array.from({ length: count }, (_, i) => message(i)), ...more });
const FILL = { fill: "x".repeat(12 * 1024 * 1024) };

interface Body {
  readonly messages: readonly unknown[];
}

async function bounded(text: string) {
  const body = await boundedBody(bytesOf(text));
  if (typeof body !== "object") throw new Error("It is not read.");
  return body;
}

async function read(text: string): Promise<{ readonly body: Body; readonly whole: string }> {
  const abridged = await bounded(text);
  return { body: JSON.parse(abridged.text), whole: textOf(abridged.restore(abridged.text)) };
}

describe("a body as it is read", () => {
  it.each([-1, 0, 1])(
    "has all of a list behind an escape that stands %i bytes from the end of a slice",
    async (off) => {
      // Taken for the string's end, the quotation mark would make a long string of the numbers.
      const filled = (length: number) =>
        JSON.stringify({
          messages: [...Array(40).fill("a".repeat(50_000)), "a".repeat(length), '"x', ...Array(9_000).fill(1), "end"],
          ...FILL,
        });
      const text = filled(2 * 1024 * 1024 + off - filled(0).indexOf('\\"x'));
      expect(text.indexOf('\\"x')).toBe(2 * 1024 * 1024 + off);
      const { body, whole } = await read(text);
      expect([body.messages.length, whole === text]).toEqual([9_043, true]);
    },
  );

  it.each(["x", "あ", "😀", `a"\\`, "\ud800"])("has head and tail of a long string of %j", async (unit) => {
    const long = `HEAD${unit.repeat(400_000)}TAIL`;
    const text = JSON.stringify({
      messages: [{ role: "user", content: long }, message(1)],
      more: [long, "}"],
      ...FILL,
    });
    const { body, whole } = await read(text);
    expect(whole).toBe(text);
    const { content } = body.messages[0] as { readonly content: string };
    expect(content.length).toBeLessThan(17_000);
    expect(content.startsWith(`HEAD${unit}`)).toBe(true);
    expect(content.endsWith(`${unit}TAIL`)).toBe(true);
    const other = text.replace("TAIL", `${JSON.stringify(unit).slice(1, -1)}TAIL`);
    expect((await read(other)).body.messages[0]).not.toEqual(body.messages[0]);
  });

  it.each([
    { what: "a picture", body: bodyOf(2, { picture: "x".repeat(2_000_000) }), isPartial: false },
    { what: "more text than the budget", body: bodyOf(2_000, FILL), isPartial: true },
  ])("with $what is partial: $isPartial", async ({ body, isPartial }) => {
    expect((await bounded(body)).isPartial).toBe(isPartial);
  });

  it("is sent on as it came, edits in their places, whatever it holds", async () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, fc.string(), fc.integer(), fc.constant(null), tie("list"), tie("object")),
      list: fc
        .tuple(fc.constantFrom(0, 1, 3), fc.string({ maxLength: 3 }))
        .map(([count, one]) => Array(count).fill([one])),
      object: fc.dictionary(fc.string(), tie("value"), { maxKeys: 4 }),
    })).object;
    await fc.assert(
      fc.asyncProperty(value, fc.integer({ min: 0, max: 8_000 }), async (more, count) => {
        const text = `${bodyOf(count, { more, ...FILL })} `;
        const abridged = await boundedBody(bytesOf(text));
        if (typeof abridged !== "object") return;
        expect(() => JSON.parse(abridged.text)).not.toThrow();
        const edited = abridged.text.replace(/}\s$/, ',"edit":1}');
        expect(textOf(abridged.restore(edited))).toBe(text.replace(/}\s$/, ',"edit":1}'));
      }),
      { numRuns: 12 },
    );
  });
});
