export const languages = ["en", "ja", "zh"] as const;
export type Language = (typeof languages)[number];

/** Japanese is told by its kana; Han characters without kana are taken for Chinese. */
export function languageOf(text: string): Language {
  const sample = text.slice(0, 500);
  const kana = count(sample, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = count(sample, /\p{Script=Han}/gu);
  // A name or a quoted word does not change the language; a character says about as much as three letters.
  if ((kana + han) * 3 < count(sample, /\p{Script=Latin}/gu) || kana + han === 0) return "en";
  return kana > 0 ? "ja" : "zh";
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
