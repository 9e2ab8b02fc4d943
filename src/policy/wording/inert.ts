const LINK = /(?<![a-z])(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.|mailto:|javascript:|data:)[^\s"'\\]*/gi;
const HARMLESS: Readonly<Record<string, string>> = { "[": "(", "]": ")", "<": "‹", ">": "›", "`": "'" };

/**
 * A quotation as it may stand in an answer that has not been checked: a reader's program finds no link, picture or markup in it.
 * Its quotation marks and escapes stay, so that it still ends where it did.
 */
export function inert(quotation: string): string {
  return quotation.replace(LINK, "(link)").replace(/[[\]<>`]/g, (mark) => HARMLESS[mark] ?? "");
}
