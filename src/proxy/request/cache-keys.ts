import { checksum } from "../../bytes.ts";
import type { Answer } from "../../protocols/protocols.ts";
import { type Hints, printOf } from "../../session/session.ts";
import type { Exchange } from "../../transport/transport.ts";
import { saidBeside } from "./request-metadata.ts";
import type { Guarded } from "../guard-context.ts";

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

/** Where the bookmark may be that a request goes on from: by the newest call that it tells of, or by how it begins. */
export interface RequestHints extends Hints {
  /** No other run has made that call. */
  readonly isOwnCall: boolean;
}

export function hintsIn({ bytes, print }: Arrived, { protocol }: Guarded): RequestHints {
  const id = protocol.tail.newestCallId(bytes);
  const call = id === undefined ? undefined : callHint(print, id);
  return { call, head: headHint({ print, bytes }), isOwnCall: id !== undefined && isRandom(id) };
}

/** `call_1`, `functions.read:7` may be ids in several runs at once. */
function isRandom(id: string): boolean {
  const stem = id.replace(/\D\d{1,7}$/, "");
  return stem.length >= 12 && /\d.*\d/.test(stem);
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
