import type { ParsedRequest } from "../../protocols/protocols.ts";
import type { RequestMetadata } from "../../session/session.ts";
import type { RequestContext } from "../context.ts";

/** Header fields by lower-case name. A field that came several times and may not be joined is an array. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The head of a request. */
export interface RequestHead {
  /** Path and query behind the mount point; begins with a slash. */
  readonly target: string;
  readonly fields: HeaderFields;
}

export type HeaderMetadata = Omit<RequestMetadata, "field">;

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
