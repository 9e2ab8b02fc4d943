export const languages = ["en", "ja", "zh", "es", "de", "fr", "pt", "ko"] as const;
export type Language = (typeof languages)[number];

/** What is looked at of a text. In characters. */
const SAMPLE = 500;

/** The language in which to answer this text; English where the text does not tell. */
export function languageOf(text: string): Language {
  return languageTold(text) ?? "en";
}

/**
 * Scripts tell most: Japanese has kana, Korean has Hangul, and Han characters without either are taken for Chinese. Languages in Latin
 * letters are told by their function words. Undefined for a word or two, which may be of any.
 */
export function languageTold(text: string): Language | undefined {
  const sample = text.slice(0, SAMPLE);
  // One look at most texts spares counting all of their letters.
  if (!EAST_ASIAN.test(sample)) return LATIN.test(sample) ? latinLanguageOf(sample) : undefined;
  const kana = count(sample, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const hangul = count(sample, /\p{Script=Hangul}/gu);
  const han = count(sample, /\p{Script=Han}/gu);
  // A name or a quoted word does not change the language; a character says about as much as three letters.
  if ((kana + han + hangul) * 3 < count(sample, /\p{Script=Latin}/gu)) return latinLanguageOf(sample);
  if (kana + han + hangul === 0) return undefined;
  if (hangul > kana) return "ko";
  return kana > 0 ? "ja" : "zh";
}

const EAST_ASIAN = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Han}]/u;
const LATIN = /\p{Script=Latin}/u;

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/**
 * Words that stand in nearly every sentence, and greetings. Italian, Dutch and the like are known so that they are not taken for a
 * neighbour: who speaks them is spoken to in English.
 */
const FUNCTION_WORDS: readonly (readonly [Language, ReadonlySet<string>])[] = [
  [
    "en",
    words(
      "the a an and is are it this that of to for with you i my please what how can not be in on do no all me as at then when if from by was have has will would should there your we us but or so",
    ),
  ],
  [
    "es",
    words(
      "el la los las un una y que es en por para con mi su se no al del lo como quiero necesito está gracias hola qué cómo hay más pero sin también puedes",
    ),
  ],
  [
    "de",
    words(
      "der die das ein eine einen und ist ich mir mein nicht auf für mit den dem zu von im bitte wie kannst du sie es danke hallo auch noch wir ihr sich dass",
    ),
  ],
  [
    "fr",
    words(
      "le la les un une des du et est que pour avec je tu vous mon ma sur dans au aux pas ce il en merci bonjour qui nous sont cette être peux",
    ),
  ],
  [
    "pt",
    words(
      "o os as um uma do da dos das e em que para com meu minha não na no se ao por você está obrigado obrigada olá mais isso quero preciso pelo pela",
    ),
  ],
];
const OTHER_WORDS: readonly ReadonlySet<string>[] = [
  words(
    "il lo gli di che per con un una non sono vorrei della del dei nel alla è mi grazie ciao questo anche più e le i la si da in",
  ),
  words("de het een en van ik niet met voor is dat op te zijn je graag bedankt hallo wat hoe kan u deze naar"),
  words("och att det som en på är för med jag inte till av den har ett hej tack kan du och ikke og jeg at er til"),
  words("i w na do nie się że jest z to jak proszę dziękuję czy mam"),
];

/** Letters that only one of them has. */
const TELLING: ReadonlyMap<Language, RegExp> = new Map([
  ["es", /[ñ¿¡]/],
  ["de", /ß|[äöü]/],
  ["fr", /[œèù]|\b[cdjlmnqst]['’]\p{L}/u],
  ["pt", /[ãõ]/],
]);

const LEAST = 2;

function latinLanguageOf(sample: string): Language | undefined {
  const lower = sample.toLowerCase();
  const said = lower.match(/\p{L}+/gu) ?? [];
  const hitsIn = (known: ReadonlySet<string>) => {
    let hits = 0;
    for (const word of said) if (known.has(word)) hits++;
    return hits;
  };
  let best: { readonly language: Language | undefined; readonly score: number } = { language: undefined, score: 0 };
  for (const [language, known] of FUNCTION_WORDS) {
    const hits = hitsIn(known);
    const hasLetters = hits > 0 && TELLING.get(language)?.test(lower) === true;
    const score = hits + (hasLetters ? LEAST : 0);
    if (score > best.score) best = { language, score };
  }
  const isOther = OTHER_WORDS.some((known) => hitsIn(known) > best.score);
  if (isOther || best.language === "en") return "en";
  return best.score < LEAST ? undefined : best.language;
}
