import fc from "fast-check";

const pieces = fc.constantFrom(
  ...[" ", "\n", "\r\n", "\t", "\u00a0"],
  ..."word Word snake_case _ a1b2 42 . … — ’ “x” • → │ é e\u0301 ÀÉ straße ß ΑΣ ΑΣΑ Å K ſ ﬁ ① ² 漢字 漢 ab漢 漢字ab かな カタカナ".split(
    " ",
  ),
  // `İ` is two units in lower case.
  ..."ﾊﾝｶｸ 々 ー 한국어 हिन्दी 𝒳𝒴 𠮷 𠮷野家 𐐀 🙂 👩‍👩‍👧 İ \ud800 \udc00 \ud800\ud800\udc00 \u0000 \ufeff".split(" "),
);

export const oddTexts: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.array(pieces, { maxLength: 30 }).map((some) => some.join("")) },
  { weight: 2, arbitrary: fc.lorem({ maxCount: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme" }) },
);
