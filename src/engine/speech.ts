import { isFeedback } from "./automated-feedback.ts";
import { bytes, readAscii } from "./ascii.ts";
import { SMALL } from "./char-class.ts";
import type { Sign } from "./sign.ts";
import { withoutStamps } from "./volatile.ts";

/**
 * What the assistant heard after a step: nothing, a prompt to go on, a text that was said before (a harness that sends its
 * prompt again, a heartbeat), or a user with news.
 */
export type Heard = "nothing" | "prompt" | "again" | "user";

export function heardSignature(text: string, sign: Sign): string {
  return signatureOf(plainText(withoutStamps(text)), sign);
}

function signatureOf(plain: string, sign: Sign): string {
  return sign(`heard\u0000${plain}`);
}

/** What was heard after one step: the signature of each text, and all of them as they are compared. */
export interface HeardTexts {
  readonly signatures: readonly string[];
  readonly plain: string;
}

/** Each text is read once, but for those that times and dates stand in. */
export function readHeard(texts: readonly string[], sign: Sign): HeardTexts {
  const signatures: string[] = [];
  let plain = "";
  for (const text of texts) {
    const unstamped = withoutStamps(text);
    const signed = plainText(unstamped);
    signatures.push(signatureOf(signed, sign));
    const said = unstamped === text ? signed : plainText(text);
    if (said !== "") plain = plain === "" ? said : `${plain} ${said}`;
  }
  return { signatures, plain };
}

/** Case, punctuation, emoji and spacing gone: what is left is what was said. */
export function plainText(text: string): string {
  const length = readAscii(text);
  if (length !== undefined) return plainAscii(length);
  return inOneForm(text.toLowerCase())
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** In characters. */
const PIECE = 1_024;
/** However short the text is, so much of it is told in letters that take the place of one. */
const SPARE = 64;

/** One letter may become eighteen: what is longer than twice the text is left out, and never made. */
function inOneForm(text: string): string {
  const most = 2 * text.length + SPARE;
  if (text.length <= PIECE) return text.normalize("NFKC").slice(0, most);
  let form = "";
  for (let at = 0; at < text.length && form.length < most; at += PIECE)
    form += text.slice(at, at + PIECE).normalize("NFKC");
  return form.slice(0, most);
}

const BLANK = 0x20;
const UNDERSCORE = 0x5f;
const decoder = new TextDecoder();

/** By ASCII character: its lower case, or a blank. */
const PLAIN = Uint8Array.from(SMALL, (small, code) => (small === 0 || code === UNDERSCORE ? BLANK : small));

/** In place: no character becomes more than one. Without a branch, which words of all lengths would make a costly one. */
function plainAscii(length: number): string {
  let to = 0;
  let last = 0;
  for (let i = 0; i < length; i++) {
    const plain = PLAIN[bytes[i] ?? BLANK] ?? BLANK;
    // A blank is the least of them: this is 0 for it, and 1 for all else.
    const isWord = (BLANK - plain) >>> 31;
    bytes[to] = plain;
    // Of several gaps the first stays.
    to += isWord | last;
    last = isWord;
  }
  return decoder.decode(bytes.subarray(0, to > 0 && last === 0 ? to - 1 : to));
}

const ANNOUNCEMENT =
  /(^|[.!\n]\s*)(okay,? |ok,? |sure,? |now,? |next,? |first,? )?(let me|let's|i('|’)?ll|i will|i('|’)?m going to|i am going to|i need to|going to)\b/i;

/** The same in Spanish, Portuguese, French, Italian, German, Russian; in Chinese, Japanese and Korean. */
const ANNOUNCEMENT_ABROAD =
  /(?<!\p{L})(voy a|déjame|permíteme|vou|deixe-me|je vais|laissez-moi|sto per|lasciami|vado a|ich werde|lass mich|ich (?:\p{L}{2,16} )?(?:jetzt|nun|gleich)|jetzt \p{L}{2,16} ich|ik (?:ga|zal)|jag (?:ska|kommer att)|jeg (?:vil|skal)|tôi sẽ|saya akan|сейчас (?:я )?\p{L}{2,16}у|я сейчас|приступаю|давайте)(?!\p{L})/iu;
const ANNOUNCEMENT_UNSPACED =
  /(?:我(?:现在|馬上|马上|这就|這就|将|將|会|會|先|来|來|开始|開始)|让我|讓我|接下来我|接下來我|下面我|これから|今から|今すぐ|(?:始め|作成し|書き|確認し|実行し)ます[。!]?$|겠습니다|할게요)/u;

/** The text says that something will be done now. */
export function announces(text: string): boolean {
  if (text.length > 400) return false;
  return (
    ANNOUNCEMENT.test(text) || ANNOUNCEMENT_ABROAD.test(text) || ANNOUNCEMENT_UNSPACED.test(text) || AT_ONCE.test(text)
  );
}

/** What is told as begun, or for this very moment. */
const AT_ONCE =
  /(?<!\p{L})(ahora mismo|enseguida|en seguida|ya mismo|de inmediato|agora mesmo|imediatamente|em seguida|tout de suite|immédiatement|dès maintenant|subito|immediatamente|sofort|umgehend|сейчас же|немедленно|meteen|direct|zaraz|już|hemen|अभी|तुरंत|الآن|سأقوم|ngay bây giờ)(?!\p{L})|(?<!\p{L})(\p{L}{2,20}(?:acağım|eceğim|ıyorum|iyorum|uyorum|üyorum)|empiezo|comienzo|procedo|me pongo|começo|passo a|ponho-me|je commence|je m'y mets|je procède|comincio|procedo|ich (?:beginne|fange|starte)|начинаю|перехожу|ik begin|zaczynam|başlıyorum)(?!\p{L})/iu;

/** "Go on, but skip the tests" is more than this, and thus news. */
const GO_ON =
  /^\W*((please|ok(ay)?|yes|just)[,\s]+)*(continue|go on|go ahead|proceed|keep going|carry on|resume|try again|next)(\W+(with|working|on|to|from|where|you|left|off|stopped|the|your|this|it|task|work|one|steps?|now|please|thanks?|until|are|done|finished))*\W*$/i;
const GO_ON_ABROAD =
  /^\P{L}*(?:(?:bitte|por favor|s(?:'|’)il (?:te|vous) pla[iî]t|per favore|пожалуйста)\P{L}+)?(?:weiter(?: so)?|mach weiter|fortfahren|continue[rz]?|vas-y|allez-y|contin[uú]a|sigue|siga|adelante|prossiga|continue|avanti|vai avanti|продолжай(?:те)?|дальше|devam(?: et| edin)?|tiếp tục|kontynuuj|dalej|ga (?:maar )?(?:door|verder)|fortsätt|fortsæt|fortsett|jatka|lanjutkan|teruskan|जारी रख(?:ो|ें)|आगे बढ़(?:ो|ें)|استمر|تابع|المتابعة|계속(?:해|하세요|해줘)?)(?:\P{L}+(?:bitte|por favor|per favore))?\P{L}*$/iu;
const GO_ON_CJK =
  /^[^\p{L}\p{N}]*(はい|どうぞ|では|请|請|好的?)?[、,,\s]*(続けて|続行|進めて|次へ|继续|繼續|接着|下一步|请继续)\P{N}{0,12}$/u;
/** Automatic prompt: a harness repeats the same words, where a person who asks again says what is wanted. */
const PUSH =
  /\b(continue|proceed|keep (going|working|trying)|carry on|try again|go on|do not (stop|give up)|never ask|(use|call|invoke|provide|include) (a|an|the|one|at least one|your|any)\b.{0,24}\b(tool|function|action|command)s?|no (valid )?(tool|function|action|command|code)\b|which (tool|function|action|command)\b|(reply|response|answer|message|output) (was|is|must|should|needs|did)|(valid|correct|wrong|invalid) (format|json|action|tool))\b/i;
/** A guard's own words, ours or another's, are not a user's. */
const GUARD = /^\s*[[<(](unloop|guard|system|reminder|loop)/i;

export function hearing(texts: readonly string[], sigs: readonly string[], before: ReadonlySet<string>): Heard {
  if (texts.length === 0) return "nothing";
  const news = texts.some((text, i) => isNews(text) && !before.has(sigs[i] ?? ""));
  if (news) return "user";
  return texts.some((text) => isNews(text) && !PUSH.test(text)) ? "again" : "prompt";
}

const SET_OUT = /^\s{0,8}[[<{(#*]|^[^\n]{1,60}:[ \t]{0,8}\n|<\/?[a-z][\w-]{0,40}>/i;

/** Set out as programs do it: marks, tags, a heading; or about the form that an answer must have. */
export function isAutomated(text: string): boolean {
  return SET_OUT.test(text) || (text.length <= LONGEST_PROMPT && ABOUT_CALLS.test(text) && ABOUT_ANSWERS.test(text));
}

/** Calls, tools and formats, and answers, in the words that harnesses have for them. */
const ABOUT_CALLS =
  /\b(tool|function|action)s?\b|json|schema|ferramentas?|herramientas?|funci[oó]n|função|outils?\b|fonctions?\b|werkzeug|funktion|strument[oi]|funzion[ei]|инструмент|функци|narzędzi|funkcj|araç|công cụ|도구|함수|ツール|関数|工具|函数|أداة|الأدوات|उपकरण|फ़ंक्शन/i;
const ABOUT_ANSWERS =
  /\b(answer|response|reply|message|output|call)\b|respost|responda|respuesta|responde|réponse|répond|antwort|ausgabe|rispost|rispond|ответ|вызов|odpowied|yanıt|cevap|trả lời|câu trả|답변|응답|출력|回答|応答|返答|回复|輸出|输出|调用|呼び出|إجاب|الرد|उत्तर|जवाब/i;

/** After the step a user asked for something, or told it; a mere farewell does neither. */
export function bringsNews({ heard, heardCloses }: { readonly heard: Heard; readonly heardCloses?: number }): boolean {
  return heard === "user" && heardCloses === undefined;
}

/** A longer text says more than "go on". In characters. */
const LONGEST_PROMPT = 300;

/** More than "go on", and not a guard's word. */
export function isNews(text: string): boolean {
  const said = text.trim();
  return !isPrompt(said) && !GUARD.test(said) && !isFeedback(said);
}

function isPrompt(said: string): boolean {
  return said.length <= LONGEST_PROMPT && (GO_ON.test(said) || GO_ON_CJK.test(said) || GO_ON_ABROAD.test(said));
}
