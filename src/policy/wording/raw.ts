/** A text in a script beyond ASCII. In a plain string the Worker's bundler would write each of its letters as an escape, twice as long. */
export const raw = String.raw;
