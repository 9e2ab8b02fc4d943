import { checksum } from "../bytes.ts";
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
  /** Signature of what it says about its run beside its body; empty where nobody looks for bookmarks. */
  readonly print: string;
}

export function arrivedAs(
  exchange: Exchange,
  pathSession: string | undefined,
  bytes: Uint8Array,
  { shelf, sign }: Guarded,
): Arrived {
  const print = shelf === undefined ? "" : printOf(saidBeside(exchange, pathSession), sign);
  return { exchange, pathSession, bytes, print };
}

/** How much of a request's beginning is looked at. In bytes. */
const HEAD = 1_024;

/** Shorter ids, such as `call_1`, may be those of several runs at once. In characters. */
const TELLING = 12;

/** Where the bookmark may be that a request goes on from. */
export interface Hints {
  /** By the newest call that it tells of. */
  readonly call: string | undefined;
  /** By how it begins. */
  readonly head: string;
  /** No other run has made that call. */
  readonly isTelling: boolean;
}

export function hintsIn({ bytes, print }: Arrived, { protocol }: Guarded): Hints {
  const id = protocol.tail.newestCallId(bytes);
  const call = id === undefined ? undefined : callHint(print, id);
  return { call, head: headHint({ print, bytes }), isTelling: id !== undefined && id.length >= TELLING };
}

/** By the calls of a request's answer the next one will look for it. */
export function callHints({ step }: Answer, { print }: Pick<Arrived, "print">): readonly string[] {
  return step.calls.flatMap(({ id }) => (id === undefined ? [] : [callHint(print, id)]));
}

function callHint(print: string, id: string): string {
  return `${print} ${id}`;
}

/** All requests of a run begin alike. */
export function headHint({ print, bytes }: Pick<Arrived, "print" | "bytes">): string {
  return `${print}#${checksum(bytes.subarray(0, HEAD))}`;
}
