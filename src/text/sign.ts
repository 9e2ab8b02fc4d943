/** Signature: a keyed hash. Equal texts give equal signatures, and without the key no text can be guessed from one. */
export type Sign = (text: string) => string;
