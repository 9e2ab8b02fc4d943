import { protocolFor } from "../../protocols/protocols.ts";
import type { Exchange } from "../../transport/transport.ts";
import { fieldOf } from "../../evaluation/evaluation.ts";

/** They bring no conversation. */
const READING = new Set(["GET", "HEAD", "OPTIONS", "DELETE"]);

/**
 * Whether a request that no guarded API is asked with could be taken for one by the upstream: servers differ in what they make
 * of case, escapes, doubled slashes, parameters of a segment and other methods.
 */
export function isOtherSpelling(exchange: Pick<Exchange, "method" | "fields">, path: string): boolean {
  if (READING.has(exchange.method)) return false;
  const header = (name: string) => fieldOf(exchange, name);
  return protocolFor({ method: "POST", path: plainPath(path), header }) !== undefined;
}

function plainPath(path: string): string {
  const segments = decoded(decoded(path)).toLowerCase().replaceAll("\\", "/").split("/");
  const named = segments.map((segment) => (segment.split(";", 1)[0] ?? "").trim());
  return `/${named.filter((segment) => segment !== "" && segment !== ".").join("/")}`;
}

function decoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
