import type { JsonObject } from "../json/json.ts";
import { opaque } from "../protocol.ts";

/** What only this format looks at in a request. */
export interface ResponsesWire {
  readonly text: string;
  readonly body: JsonObject;
  /** For each step the index of the turn that tells it, among those of the input. */
  readonly turns: readonly number[];
}

export const wire = opaque<ResponsesWire>();

/** The turn that a request goes on from without carrying it: what belongs to it stands before the first turn of the input. */
export const BEFORE = -1;
