export const languages = ["en", "ja", "zh", "es", "de", "fr", "pt", "ko"] as const;
export type Language = (typeof languages)[number];

/** What is looked at of a text, and of its words. In characters. */
const SPAN = 4_000;
const SAMPLE = 500;

/** The language in which to answer this text; English where the text does not tell. */
export function languageOf(text: string): Language {
  return languageTold(text) ?? "en";
}

/** By script, Han characters alone as Chinese, and Latin letters by function words. Undefined for a word or two. */
export function languageTold(text: string): Language | undefined {
  const { latin, eastAsian } = proseOf(text.slice(0, SPAN));
  if (eastAsian === "") return latinLanguageOf(latin);
  const kana = count(eastAsian, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const hangul = count(eastAsian, /\p{Script=Hangul}/gu);
  const han = count(eastAsian, /\p{Script=Han}/gu);
  // A name or a quoted word does not change the language; a character says about as much as three letters.
  const letters = latin.reduce((sum, word) => sum + word.length, 0);
  if ((kana + han + hangul) * 3 < letters) return latinLanguageOf(latin);
  if (hangul > kana) return "ko";
  return kana > 0 ? "ja" : "zh";
}

/** Code, markup and quotations are not what the text itself says. */
const NOT_SAID =
  /```[\s\S]*?(?:```|$)|`[^`\n]{0,200}`|<[^<>\n]{0,200}>|"[^"\n]{0,200}"|“[^“”\n]{0,200}”|«[^«»\n]{0,200}»/g;
const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]{0,200}`|<[^<>\n]{0,200}>/g;
const PATH_PART = /[/\\][\p{L}\p{N}_~-]{1,64}(?=[/\\.])/gu;
const EAST_ASIAN = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Han}]+/gu;
const TOKEN = /\n|[^\s\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Han}]+/gu;
/** A word as sentences have it, with the mark that begins a Spanish one: ids, paths, addresses, versions and code have digits or marks within. */
const WORD =
  /^[^\p{L}\p{N}\p{S}/\\@#&%_{}[\]]*?([¿¡]?[\p{Script=Latin}\p{M}]+(?:['’][\p{Script=Latin}\p{M}]+)*)([^\p{L}\p{N}\p{S}/\\@#&%_{}[\]]*)$/u;
const CAMEL = /\p{Ll}\p{Lu}/u;
/** What follows begins a sentence. */
const STOP = /[.!?:;…]/;

/** The words of a text in Latin letters, in small letters, and its East Asian ones: without ids, code, paths and names; of one that is all quotation, those that it quotes. */
function proseOf(text: string) {
  const prose = text.replace(NOT_SAID, " ");
  const own = (/\p{L}/u.test(prose) ? prose : text.replace(CODE, " ")).replace(PATH_PART, "/");
  const eastAsian = (own.match(EAST_ASIAN) ?? []).join("").slice(0, SAMPLE);
  return { latin: wordsIn(own, /\p{Ll}/u.test(own)), eastAsian };
}

/** @param hasCase names are told by their first letter */
function wordsIn(text: string, hasCase: boolean): readonly string[] {
  const matches: string[] = [];
  let length = 0;
  let begins = true;
  for (const token of text.match(TOKEN) ?? []) {
    const [, word = "", after = ""] = WORD.exec(token) ?? [];
    const isName = hasCase && !begins && /^\p{Lu}/u.test(word);
    if (word !== "" && !isName && !CAMEL.test(word)) matches.push(word.toLowerCase());
    begins = token === "\n" || STOP.test(after) || (begins && word === "");
    length += word.length;
    if (length > SAMPLE) break;
  }
  return matches;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Words of nearly every sentence, and greetings. Italian, Dutch and the like are known so that they are not taken for a neighbour. */
const FUNCTION_WORDS = {
  en: words(
    "the a an and is are it this that of to for with you i my please what how can not be in on do no all me as at then when if from by was have has will would should there your we us but or so",
  ),
  es: words(
    "el la los las un una y que es en por para con mi su se no al del lo como quiero necesito está gracias hola qué cómo hay más pero sin también puedes",
  ),
  de: words(
    "der die das ein eine einen und ist ich mir mein nicht auf für mit den dem zu von im bitte wie kannst du sie es danke hallo auch noch wir ihr sich dass",
  ),
  fr: words(
    "le la les un une des du et est que pour avec je tu vous mon ma sur dans au aux pas ce il en merci bonjour qui nous sont cette être peux",
  ),
  pt: words(
    "o os as um uma do da dos das e em que para com meu minha não na no se ao por você está obrigado obrigada olá mais isso quero preciso pelo pela",
  ),
};
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

function latinLanguageOf(prose: readonly string[]): Language | undefined {
  const text = prose.join(" ");
  const parts = prose.flatMap((word) => word.split(/['’¿¡]/));
  let best: { readonly language: Language | undefined; readonly score: number } = { language: undefined, score: 0 };
  for (const language of ["en", "es", "de", "fr", "pt"] as const) {
    const hits = hitsIn(parts, FUNCTION_WORDS[language]);
    const hasLetters = hits > 0 && TELLING.get(language)?.test(text) === true;
    const score = hits + (hasLetters ? LEAST : 0);
    if (score > best.score) best = { language, score };
  }
  const isOther = OTHER_WORDS.some((otherWords) => hitsIn(parts, otherWords) > best.score);
  if (isOther || best.language === "en") return "en";
  return best.score < LEAST ? undefined : best.language;
}

/** A single letter may be a variable: alone it is no word. */
function hitsIn(words: readonly string[], vocabulary: ReadonlySet<string>): number {
  const hits = words.filter((word) => vocabulary.has(word));
  return hits.some((word) => word.length > 1) ? hits.length : 0;
}
