/** Prompts are longer, but say what they want at their beginning. In characters. */
const SPAN = 8_000;

const SUMMARY =
  /\bsummar(?:y|ies|i[sz]e|i[sz]ing|i[sz]ation)\b|\bcompact(?:ion|ing)?\b|\bhand-?off\b|要約|总结|總結|摘要/i;
const NO_TOOLS =
  /\btext[ -]only\b|\bonly (?:with )?text\b|\b(?:not|never|without|no)\b.{0,20}\b(?:tools?|functions?)\b|ツール.{0,8}(?:使わ|呼び出さ|使用し)な|(?:不要|勿|不得)(?:调用|使用|調用).{0,8}工具/i;

/**
 * Whether a user's words are a harness's prompt to compact the history: a summary is to take its place, and is to be said in words
 * alone. @param offersTools without tools on offer that need not be said
 */
export function asksForCompaction(text: string, offersTools: boolean): boolean {
  const head = text.slice(0, SPAN);
  return SUMMARY.test(head) && (!offersTools || NO_TOOLS.test(head));
}
