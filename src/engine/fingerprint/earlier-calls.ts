import { equalJson } from "../../text/json-equal.ts";

/** Number of earlier calls that are compared; a loop is made of a few. */
const MOST = 8;

interface EarlierCall<Read> {
  readonly tool: string;
  readonly text: string;
  readonly value: unknown;
  readonly read: Read;
}

/** The newest calls of one request, with what each was read as: where two are at hand, their values decide whether they are equal. */
export class EarlierCalls<Read> {
  readonly #calls: EarlierCall<Read>[] = [];

  /** Undefined where none of them is equal. @param value of the arguments; undefined where they are no JSON */
  equalTo(tool: string, text: string, value: unknown): Read | undefined {
    const same = this.#calls.find((call) => call.tool === tool && isEqual(call, text, value));
    return same?.read;
  }

  add(tool: string, text: string, value: unknown, read: Read): void {
    this.#calls.unshift({ tool, text, value, read });
    if (this.#calls.length > MOST) this.#calls.pop();
  }
}

function isEqual(call: EarlierCall<unknown>, text: string, value: unknown): boolean {
  if (call.text === text) return true;
  // Keys in another order leave the length as it is; what is laid out differently has its signature compared.
  if (call.text.length !== text.length) return false;
  return typeof value === "object" && value !== null && equalJson(call.value, value);
}
