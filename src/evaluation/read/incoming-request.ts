import type { ParsedRequest } from "../../protocols/protocols.ts";
import { metadataHash, type RequestMetadata } from "../../session/session.ts";
import type { RequestContext } from "../context.ts";

export interface IncomingRequest extends RequestHead {
  readonly bytes: Uint8Array;
  readonly metadata: HeaderMetadata;
  /** The body without what changes though it says nothing; not looked at where no prefix is remembered. */
  readonly comparable: Uint8Array;
  /** Signature of what the request says about its run, and in its URL about itself, beside its body; empty where no prefix is remembered. */
  readonly metadataHash: string;
}

export function incomingRequest(
  { target, fields }: RequestHead,
  metadata: HeaderMetadata,
  bytes: Uint8Array,
  context: RequestContext,
): IncomingRequest {
  const { prefixes, protocol, sign } = context;
  const comparable = prefixes === undefined ? bytes : protocol.delta.comparable(bytes);
  const hash = prefixes === undefined ? "" : metadataHash(metadata, sign) + protocol.delta.variant(target);
  return { target, fields, bytes, metadata, comparable, metadataHash: hash };
}

export interface RequestHead {
  /** Path and query behind the mount point; begins with a slash. */
  readonly target: string;
  /** By lower-case name. A field that came several times and may not be joined is an array. */
  readonly fields: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export type HeaderMetadata = Omit<RequestMetadata, "field">;

export function headerMetadata(
  head: RequestHead,
  pathSession: string | undefined,
  { tenantHeader, sessionNames, placement }: RequestContext,
): HeaderMetadata {
  const query = head.target.split("?", 2)[1];
  return {
    ...{ tenantHeader, sessionNames, pathSession, tenant: placement.tenant, headerNames: Object.keys(head.fields) },
    header: (name) => fieldOf(head, name),
    query: (name) => (query === undefined ? undefined : (new URLSearchParams(query).get(name) ?? undefined)),
  };
}

export function fieldOf({ fields }: Pick<RequestHead, "fields">, name: string): string | undefined {
  const value = fields[name];
  return value === undefined ? undefined : String(value);
}

const ATTEMPTS = [
  // The official SDKs, which give up after two or three.
  { name: "x-stainless-retry-count", first: 0 },
  { name: "x-envoy-attempt-count", first: 1 },
];

export function isFirstAttempt(header: HeaderMetadata["header"]): boolean {
  return ATTEMPTS.every(({ name, first }) => !(Number(header(name)) > first));
}

/** Where gateways take further models, to be asked if the first one fails: OpenRouter, and LiteLLM. */
const FALLBACKS = ["models", "fallbacks"];

/** Every model that may answer a request; an empty name for one that cannot be told. */
export function modelsAsked({ model, field }: ParsedRequest): readonly string[] {
  const others = FALLBACKS.flatMap((name) => field([name]) ?? []).map(nameOf);
  return model === undefined && others.length > 0 ? others : [model ?? "", ...others];
}

function nameOf(entry: unknown): string {
  const name = typeof entry === "object" && entry !== null && "model" in entry ? entry.model : entry;
  return typeof name === "string" ? name : "";
}

/** Whether its client may ask all of these; of a request that cannot be read, none. */
export function mayAskAll(models: readonly string[] | undefined, { mayAsk }: Pick<RequestContext, "mayAsk">): boolean {
  return mayAsk === undefined || (models?.every(mayAsk) ?? false);
}
