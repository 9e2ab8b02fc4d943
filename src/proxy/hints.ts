import { checksum } from "../bytes.ts";
import type { Sign } from "../engine/engine.ts";
import type { Answer } from "../protocols/protocols.ts";
import { printOf } from "../session/session.ts";
import type { Exchange } from "../transport/transport.ts";
import { saidBeside } from "./evidence.ts";
import type { Guarded } from "./guarding.ts";

/** A request as it came, and what else its URL says. */
export interface Arrived {
  readonly exchange: Exchange;
  readonly pathSession: string | undefined;
  readonly bytes: Uint8Array;
}

/** How much of a request's beginning is looked at. In bytes. */
const HEAD = 1_024;

/** Where the bookmark may be found that a request goes on from: by the newest call that it tells of, or by how it begins. */
export function hintsIn({ bytes, ...said }: Arrived, { protocol, sign }: Guarded): readonly string[] {
  const print = printIn(said, sign);
  const id = protocol.tail.newestCallId(bytes);
  const head = headHint(print, bytes);
  return id === undefined ? [head] : [callHint(print, id), head];
}

/** Where the next request will look for it. */
export function hintsFor(
  { step }: Answer,
  { bytes, ...said }: Arrived,
  sign: Sign,
): { readonly callHints: readonly string[]; readonly headHint: string } {
  const print = printIn(said, sign);
  const ids = step.calls.flatMap(({ id }) => id ?? []);
  return { callHints: ids.map((id) => callHint(print, id)), headHint: headHint(print, bytes) };
}

function printIn({ exchange, pathSession }: Omit<Arrived, "bytes">, sign: Sign): string {
  return printOf(saidBeside(exchange, pathSession), sign);
}

function callHint(print: string, id: string): string {
  return `${print} ${id}`;
}

function headHint(print: string, bytes: Uint8Array): string {
  return `${print}#${checksum(bytes.subarray(0, HEAD))}`;
}
