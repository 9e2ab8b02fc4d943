import { type ParsedRequest, parseRecorded } from "../../protocols/protocols.ts";
import { turn } from "../../turns.ts";
import { abridgedBody, READ_BUDGET } from "./abridged-body.ts";

/** A shorter one is read as it is: a share of the budget, since it is read in one go. */
const SHARE = 3;

/**
 * A recorded request of whatever format, read as one that comes in is. Undefined where no format recognises it.
 * @throws RangeError where it is nested more deeply than can be written down again
 */
export async function readRecorded(record: unknown): Promise<ParsedRequest | undefined> {
  return parseRecorded(record, async (protocol, text) => {
    await turn();
    if (text.length <= READ_BUDGET / SHARE) return protocol.parse(text);
    const body = await abridgedBody(new TextEncoder().encode(text));
    return body && protocol.parse(body.text);
  });
}
