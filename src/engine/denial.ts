import { isObject } from "./is-object.ts";

/** A report is a line; what is longer is a page or a document. In characters. */
const LONGEST = 240;
/** Of a record with more fields the texts are data. */
const MOST_FIELDS = 4;

/** What a report quotes is not its own: a button may be called "No, thanks". */
const QUOTED =
  /「[^」]{0,80}」|『[^』]{0,80}』|“[^”]{0,80}”|"[^"]{0,80}"|'[^'\s][^']{0,80}'(?!\p{L})|`[^`]{0,80}`|\[[^\]]{0,80}\]|\([^)]{0,80}\)|<[^>]{0,80}>|https?:\S{1,200}/gu;
/「[^」]*」|『[^』]*』|“[^”]*”|"[^"]*"|'[^'\s][^']*'(?!\p{L})|`[^`]*`|\[[^\]]*\]|\([^)]*\)|<[^>]*>|https?:\S+/gu;

/** "Clicked …", "Navigated to …": what was done, in English told by its first word. */
const DONE =
  /^\P{L}*(?!(?:failed|denied|refused|timed|expired|rejected|blocked|aborted|unsupported)\b)\p{L}{2,16}ed\b/iu;

/**
 * The words by which a language denies, and those for what has run out: each has a handful, where the ways to fail have no end.
 * English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian.
 */
const DENYING = new RegExp(
  String.raw`(?<![\p{L}])(?:${[
    "not|cannot|can['’]?t|(?:could|did|does|was|is|has|would)n['’]?t|unable|never|nothing|nobody|missing|invalid|unknown|stale|impossible",
    String.raw`no (?:such|longer|\p{L}{2,24} (?:found|matche[sd]|with|for|at|is|was|exists?))|failed|failure|denied|refused|rejected|blocked|exceeded|out of (?:range|bounds)|time[ds]?[ -]?out`,
    String.raw`nicht|kein\p{L}{0,2}|ungültig\p{L}{0,2}|unmöglich|fehlgeschlagen|abgelaufen|überschritten|verweigert|zeitüberschreitung`,
    "n['’](?=\\p{L})|ne|pas|aucune?|introuvable|inconnue?|invalide|expirée?|dépassée?|échouée?|refusée?",
    String.raw`no (?:se|es|está|estaba|hay|existe|fue|ha|pud\p{L}+|pued\p{L}+|encontr\p{L}+|visible|disponible|válid[oa])|ningun[oa]?|ningún|imposible|agotado|fallid[oa]|falló|rechazad[oa]`,
    "não|nenhum[a]?|impossível|inválid[oa]|esgotado|expirou|falhou|recusad[oa]|recusou",
    "non|nessun[oa]?|impossibile|scadut[oa]|fallit[oa]|rifiutat[oa]",
    "niet|geen|mislukt|verlopen",
    "nie|brak|nieudan[ey]|upłynął",
    "не|нет|невозможно|неверный|истекло",
  ].join("|")})(?!\p{L})`,
  "iu",
);
/** The same in scripts without spaces between words, and in Korean, whose words take endings: Japanese, Chinese, Korean. */
const DENYING_UNSPACED =
  /ません(?!か)|できな|できず|見つからな|見つからず|なかった|ありえない|失敗|無効|タイムアウト|時間切れ|拒否され|未找到|没有找到|沒有找到|找不到|未能|无法|無法|不存在|不可|不能|失败|无效|無效|超时|逾時|超過時間|超时|被拒绝|被拒絕|없(?:습|음|다|어|는)|않(?:습|음|았|는)|못(?:했|하|함|합)|불가|실패|시간 ?초과|거부/u;

/** What languages call that which went wrong, and what is wrong with it. */
const WRONG_NOUN = String.raw`(?:errors?|failures?|exceptions?|problems?|issues?|warnings?|conflicts?|violations?|fehler\p{L}*|problem[aeo]?s?|erreurs?|échecs?|errore|errori|erros?|errore?s|fall[ao]s?|falhas?|fout(?:en)?|błęd\p{L}*|ошиб\p{L}*)`;
const WRONG = String.raw`(?:fail(?:ed|ing|s)?|broken|missing|invalid|denied|refused|rejected|blocked|stale|fehlgeschlagen\p{L}*|échoué\p{L}*|falló|fallid[oa]s?|falhou)`;
const BESIDE = String.raw`(?:(?!(?:such|longer|because|due|after|weil|wegen|car|porque)\b)\p{L}{1,24}\s{1,3})`;
/** A failure that is denied is none: "no errors", "0 failed tests", "ohne Fehler". */
const NEGATED = new RegExp(
  String.raw`(?<![\p{L}])(?:n['’]y a |ne \p{L}{2,24} )?(?:no|not|0|zero|none|without|nothing|never|keine?[nrs]?|nicht|ohne|aucune?|pas d['’e]|ne|sans|ning[uú]n[oa]?|sin|nenhuma?|não|sem|nessun[oa]?|non|senza|geen|zonder|brak|nie|bez|не|нет|без)\s{0,3}(?:${BESIDE}{0,2}${WRONG_NOUN}|${BESIDE}?${WRONG})(?![\p{L}])`,
  "giu",
);
const NEGATED_UNSPACED =
  /(?:エラー|問題|失敗|警告|異常|不具合)[はもが]?(?:あり|見つかり|発生してい|検出され)?ません(?:でした)?|(?:没有|沒有|未|无|無)(?:发现|發現|找到|检测到|出现)?(?:任何)?(?:错误|錯誤|失败|失敗|问题|問題|异常|警告)|(?:오류|에러|문제|실패|경고)(?:가|이|는|은|도)? ?(?:없(?:습니다|음|다|어요)|발견되지 않\p{L}*)/gu;

/** The short report of an action that denies it: the thing was not there, it could not be done, time ran out. */
export function isDenial(text: string, value: unknown): boolean {
  const report = reportIn(text, value);
  if (report === undefined || report.length > LONGEST) return false;
  const own = report.replace(QUOTED, " ").replace(NEGATED, " ").replace(NEGATED_UNSPACED, " ");
  if (DONE.test(own)) return false;
  return DENYING.test(own) || DENYING_UNSPACED.test(own);
}

/** The first line; of a small record its texts. */
function reportIn(text: string, value: unknown): string | undefined {
  if (value === undefined) return firstLine(text);
  if (!isObject(value)) return undefined;
  const fields = Object.values(value);
  const texts = fields.filter((field) => typeof field === "string");
  return fields.length > MOST_FIELDS || texts.length === 0 ? undefined : texts.map(firstLine).join(" ");
}

function firstLine(text: string): string {
  const trimmed = text.trimStart().slice(0, LONGEST + 1);
  const end = trimmed.indexOf("\n");
  return end < 0 ? trimmed : trimmed.slice(0, end);
}
