import { checksum } from "../../bytes.ts";
import type { Answer } from "../../protocols/protocols.ts";
import { type CacheKeys, isRandomId, metadataHash } from "../../session/session.ts";
import type { Exchange } from "../../transport/transport.ts";
import { headerMetadata } from "./request-metadata.ts";
import type { ExchangeContext } from "../guard-context.ts";

/** A request as it came, and what else its URL says. */
export interface ArrivedRequest {
  readonly exchange: Exchange;
  readonly pathSession: string | undefined;
  readonly bytes: Uint8Array;
  /** The same without what changes though it says nothing; not looked at where no thread is cached. */
  readonly comparable: Uint8Array;
  /** Signature of what the request says about its run beside its body; empty where the thread cache is off. */
  readonly metadataHash: string;
}

export function arrivedRequest(
  exchange: Exchange,
  pathSession: string | undefined,
  bytes: Uint8Array,
  context: ExchangeContext,
): ArrivedRequest {
  const { threadCache, protocol, sign } = context;
  const comparable = threadCache === undefined ? bytes : protocol.delta.comparable(bytes);
  const hash = threadCache === undefined ? "" : metadataHash(headerMetadata(exchange, pathSession, context), sign);
  return { exchange, pathSession, bytes, comparable, metadataHash: hash };
}

/** How much of a request's beginning is looked at. In bytes. */
const HEAD = 1_024;

/** Where the cached thread may be that a request goes on from: by the newest call that it tells of, or by how it begins. */
export interface RequestCacheKeys extends CacheKeys {
  /** No other run has made that call. */
  readonly isOwnCall: boolean;
}

export function cacheKeysIn(
  { comparable, metadataHash }: ArrivedRequest,
  { protocol }: ExchangeContext,
): RequestCacheKeys {
  const id = protocol.delta.newestCallId(comparable);
  const call = id === undefined ? undefined : callKey(metadataHash, id);
  return { call, head: headKeyOf({ metadataHash, comparable }), isOwnCall: id !== undefined && isRandomId(id) };
}

/** By the calls of a request's answer the next one will look for it. */
export function callKeysOf(
  { step }: Answer,
  { metadataHash }: Pick<ArrivedRequest, "metadataHash">,
): readonly string[] {
  return step.calls.flatMap(({ id }) => (id === undefined ? [] : [callKey(metadataHash, id)]));
}

function callKey(metadataHash: string, id: string): string {
  return `${metadataHash} ${id}`;
}

/** All requests of a run begin alike. */
export function headKeyOf({ metadataHash, comparable }: Pick<ArrivedRequest, "metadataHash" | "comparable">): string {
  return `${metadataHash}#${checksum(comparable.subarray(0, HEAD))}`;
}
