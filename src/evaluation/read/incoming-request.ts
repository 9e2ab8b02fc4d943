import { checksum } from "../../text/bytes.ts";
import type { Answer, ParsedRequest } from "../../protocols/protocols.ts";
import {
  type CachedThread,
  isRandomId,
  metadataHash,
  type RequestMetadata,
  type ThreadCache,
} from "../../session/session.ts";
import type { RequestContext } from "../context.ts";

/** A request as it came. */
export interface IncomingRequest extends RequestHead {
  readonly bytes: Uint8Array;
  readonly metadata: HeaderMetadata;
  /** The body without what changes though it says nothing; not looked at where no thread is cached. */
  readonly comparable: Uint8Array;
  /** Signature of what the request says about its run, and in its URL about itself, beside its body; empty where the thread cache is off. */
  readonly metadataHash: string;
}

export function incomingRequest(
  { target, fields }: RequestHead,
  metadata: HeaderMetadata,
  bytes: Uint8Array,
  context: RequestContext,
): IncomingRequest {
  const { threadCache, protocol, sign } = context;
  const comparable = threadCache === undefined ? bytes : protocol.delta.comparable(bytes);
  const hash = threadCache === undefined ? "" : metadataHash(metadata, sign) + protocol.delta.variant(target);
  return { target, fields, bytes, metadata, comparable, metadataHash: hash };
}

/** Length of the beginning that identifies a request's run, in bytes. */
const HEAD = 1_024;

/** A cached thread that a request may go on from. */
export interface ThreadMatch {
  readonly cachedThread: CachedThread;
  /** It was found by a call in an answer that this process relayed, and that no other run has made. */
  readonly isOwnCall: boolean;
}

/** Calls that are looked for: where replicas take turns, the newest one that this process knows is some calls old. */
const MOST_CALLS = 32;

/** Finds the cached thread of a request: by its newest call that this process relayed, else by its beginning. */
export function findThread(
  cache: ThreadCache,
  { comparable, metadataHash }: IncomingRequest,
  { protocol }: RequestContext,
): ThreadMatch | undefined {
  let left = MOST_CALLS;
  for (const id of protocol.delta.newestCallIds(comparable)) {
    const cachedThread = cache.find(callKey(metadataHash, id));
    if (cachedThread !== undefined) return { cachedThread, isOwnCall: isRandomId(id) };
    left -= 1;
    if (left === 0) break;
  }
  const cachedThread = cache.find(headKeyOf({ metadataHash, comparable }));
  return cachedThread && { cachedThread, isOwnCall: false };
}

/** Cache keys for the calls in an answer: the next request finds the thread by them. */
export function callKeysOf(
  { step }: Pick<Answer, "step">,
  { metadataHash }: Pick<IncomingRequest, "metadataHash">,
): readonly string[] {
  return step.calls.flatMap(({ id }) => (id === undefined ? [] : [callKey(metadataHash, id)]));
}

function callKey(metadataHash: string, id: string): string {
  return `${metadataHash} ${id}`;
}

/** All requests of a run begin alike. */
export function headKeyOf({ metadataHash, comparable }: Pick<IncomingRequest, "metadataHash" | "comparable">): string {
  return `${metadataHash}#${checksum(comparable.subarray(0, HEAD))}`;
}

/** Header fields by lower-case name. A field that came several times and may not be joined is an array. */
type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The head of a request. */
export interface RequestHead {
  /** Path and query behind the mount point; begins with a slash. */
  readonly target: string;
  readonly fields: HeaderFields;
}

type HeaderMetadata = Omit<RequestMetadata, "field">;

/** Metadata in a request's head, by which its run is named. */
export function headerMetadata(
  { target, fields }: RequestHead,
  pathSession: string | undefined,
  {
    tenantHeader,
    sessionNames,
    placement: { tenant },
  }: Pick<RequestContext, "tenantHeader" | "sessionNames" | "placement">,
): HeaderMetadata {
  const query = target.split("?", 2)[1];
  return {
    header: (name) => fieldOf({ fields }, name),
    headerNames: Object.keys(fields),
    tenantHeader,
    sessionNames,
    pathSession,
    tenant,
    query: (name) => (query === undefined ? undefined : (new URLSearchParams(query).get(name) ?? undefined)),
  };
}

/** Metadata in a whole request, by which its run is named. */
export function requestMetadata(head: HeaderMetadata, { field }: ParsedRequest): RequestMetadata {
  return { field, ...head };
}

export function fieldOf({ fields }: Pick<RequestHead, "fields">, name: string): string | undefined {
  const value = fields[name];
  return value === undefined ? undefined : String(value);
}

/** Headers that number the attempts at one request, with the number of the first. */
const ATTEMPTS = [
  // The official SDKs, which give up after two or three.
  { name: "x-stainless-retry-count", first: 0 },
  { name: "x-envoy-attempt-count", first: 1 },
];

export function isFirstAttempt(header: HeaderMetadata["header"]): boolean {
  return ATTEMPTS.every(({ name, first }) => !(Number(header(name)) > first));
}
