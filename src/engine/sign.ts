/** A keyed hash: equal texts give equal signatures, and nobody without the key can guess a text from one. */
export type Sign = (text: string) => string;
