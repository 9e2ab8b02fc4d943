/** What of a text may be quoted to somebody. It is applied before the text is quoted, so that the quotation stays whole. */
export type Cleaning = (text: string) => string;

/** Direction overrides, joiners and other invisible characters. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Words in brackets of any kind, which may be the guard's own tag. */
const BRACKETED = /[\p{Ps}<‹]([^\p{Ps}\p{Pe}<>‹›]{4,24})[\p{Pe}>›]/gu;
/** The guard's name in letters that are taken for its own, or a mark of a role that chat templates write in brackets. */
const FORGED = /^(?:[uυսʋᴜ][nпոηɴ][l1iıιіӏ|ǀʟ][oоοօסᴏ0]{2}[pрρᴘ]|inst)$/u;
/** What begins a tag of markup, or of a chat template. */
const MARKUP = /<(?=[/!|\p{L}])/gu;
const LINK = /(?<![a-z])(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.|mailto:|javascript:|data:)[^\s"']*/gi;
const HARMLESS: Readonly<Record<string, string>> = { "[": "(", "]": ")", "<": "‹", ">": "›", "`": "'" };

/** For a model: nothing invisible, no tag of the guard, no role. */
export function forModel(text: string): string {
  return text
    .replace(UNSEEN, "")
    .replace(BRACKETED, (bracketed, word: string) => (isForged(word) ? `(${word})` : bracketed))
    .replace(MARKUP, "‹");
}

/** For a person whom no model stands before: the person's program finds no link, picture or markup in it either. */
export function forPerson(text: string): string {
  return forModel(text)
    .replace(LINK, "(link)")
    .replace(/[[\]<>`]/g, (mark) => HARMLESS[mark] ?? "");
}

function isForged(word: string): boolean {
  return FORGED.test(
    word
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}|]/gu, ""),
  );
}
