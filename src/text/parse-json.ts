/** The value of a JSON text; undefined where it is none, which is an expected answer to a question and no failure. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
