/** Redacts secrets and personal data: keys, tokens, passwords, e-mail addresses, long strings of digits. */
export function redacted(text: string): string {
  return SECRETS.reduce((rest, [pattern, mark]) => rest.replace(pattern, mark), text);
}

/** Redaction patterns, applied in order: what one has replaced the next does not see. */
const SECRETS: readonly (readonly [pattern: RegExp, mark: string])[] = [
  [/-----BEGIN [A-Z ]{1,40}-----[\s\S]*?(?:-----END [A-Z ]{1,40}-----|$)/g, "[key]"],
  [/\beyJ[\w-]{8,2048}\.[\w-]{8,8192}(?:\.[\w-]{0,8192})?/g, "[token]"],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, "$1 [token]"],
  [/\b(?:sk|pk|rk|xox[a-z]|gh[a-z]|glpat|AKIA|ASIA|AIza)[-_]?[\w-]{12,}/g, "[key]"],
  // Userinfo of a URL.
  [/(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:]{1,200}:[^\s/@]{1,200}@/gi, "$1[password]@"],
  [
    /(\b(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[-_ ]?key|authorization|cookie)["']?\s{0,3}[:=]\s{0,3}["']?)[^\s"',;}\]]{1,400}/gi,
    "$1[secret]",
  ],
  [/[\w.%+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g, "[e-mail]"],
  [/\b(?:\d[ -]?){12,18}\d\b/g, "[number]"],
  [/\b[0-9a-f]{32,}\b/gi, "[hex]"],
  // Longer than words, and mixed as no path is: letters and digits in one run.
  [/(?<![\w+/=-])(?=[\w+/-]*\d)(?=[\w+/-]*[A-Za-z])[\w+-]{40,}={0,2}(?![\w+/=-])/g, "[base64]"],
];
