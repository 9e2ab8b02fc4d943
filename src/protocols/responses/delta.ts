import { lastIndexIn, utf8Text } from "../../text/bytes.ts";
import { isObject, type JsonObject, nonEmpty, objectIn, parseForReading } from "../json/json.ts";
import type { DeltaFormat } from "../wire-format.ts";
import { readInput } from "./conversation.ts";
import { callOf, kindOf } from "./items.ts";

/** How a body goes on behind the items that an earlier one of its run has carried already. */
export const delta: DeltaFormat = {
  comparable,
  list: "input",
  resultKey: "call_id",
  members,
  steps: (items) => (standsAlone(items) ? readInput(items, undefined).history.conversation.steps : undefined),
};

/** What an agent says of itself comes last, and in another order each time. Where it is not that, nothing is left out. */
const METADATA = ',"client_metadata":{';
const METADATA_SPAN = 16 * 1024;

function comparable(body: Uint8Array): Uint8Array {
  const near = body.subarray(-METADATA_SPAN);
  const at = lastIndexIn(near, METADATA);
  if (at === -1) return body;
  // As the last member, and of texts alone: then nothing behind it belongs to anything else.
  const text = utf8Text(near.subarray(at + METADATA.length - 1));
  const metadata = text?.endsWith("}}") === true ? parseForReading(text.slice(0, -1)) : undefined;
  if (!isObject(metadata) || !Object.values(metadata).every((value) => typeof value === "string")) return body;
  const start = body.length - near.length + at;
  const shorter = new Uint8Array(start + 1);
  shorter.set(body.subarray(0, start));
  shorter[start] = CLOSING_BRACE;
  return shorter;
}

const CLOSING_BRACE = 0x7d;

/** Where the last item is the model's own, what is added may go on with its turn. */
function members(body: JsonObject, comparable: Uint8Array): readonly string[] | undefined {
  const { input } = body;
  const last = Array.isArray(input) ? kindOf(input.at(-1)) : undefined;
  if (last !== "result" && last !== "user") return undefined;
  return Object.keys(body).filter((name) => name !== "client_metadata" || !isLeftOut(comparable));
}

function isLeftOut(body: Uint8Array): boolean {
  return lastIndexIn(body.subarray(-METADATA_SPAN), METADATA) === -1;
}

/** It begins with a turn, tells only of its own calls, and changes no instruction: read alone it is what it is in its place. */
function standsAlone(items: readonly unknown[]): boolean {
  const first = kindOf(items[0]);
  if (first !== "said" && first !== "call" && first !== "thought") return false;
  const ids = new Set<string | undefined>();
  for (const item of items) {
    const kind = kindOf(item);
    if (kind === "instruction" || kind === "reference" || kind === "other") return false;
    if (kind === "call") ids.add(callOf(objectIn(item)).id);
    const answered = kind === "result" ? nonEmpty(objectIn(item).call_id) : undefined;
    if (answered !== undefined && !ids.has(answered)) return false;
  }
  return true;
}
