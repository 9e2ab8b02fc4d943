import type { IncomingMessage, ServerResponse } from "node:http";
import { UnloopError } from "../errors.ts";
import { hostIn, isLocalName } from "../text/loopback.ts";

/** Header fields that a request may have at most. */
const MAX_FIELDS = 1_000;

/**
 * What is wrong with a request that one server could read in another way than the next, or that nobody should send through a
 * proxy; undefined for all others.
 * @param isLocal the server listens on loopback
 */
export function refusalOf(incoming: IncomingMessage, isLocal = false): UnloopError | undefined {
  const { method, httpVersion, headers, rawHeaders, url = "" } = incoming;
  const coding = headers["transfer-encoding"];
  if (httpVersion !== "1.1" && httpVersion !== "1.0")
    return refused(`HTTP/${httpVersion.slice(0, 8)} is not spoken here.`);
  if (method === "TRACE") return refused("TRACE would send credentials back.");
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked")
    return refused("The only transfer coding here is chunked.");
  if (rawHeaders.length > 2 * MAX_FIELDS) return refused(`The request has more than ${MAX_FIELDS} header fields.`);
  if (countOf("host", rawHeaders) > 1) return refused("The request has more than one Host.");
  const target = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
  if (target !== undefined && target !== headers.host)
    return refused("The target names another host than the Host header.");
  // The upstream gets a Host of its own, so that nobody behind here can see that a page of another site had its name resolve to this machine.
  if (isLocal && !isLocalName(hostIn(headers.host ?? "")))
    return refused(
      "Unloop listens on loopback and answers to this machine's own names alone; send Host 127.0.0.1 (a reverse proxy can set it), or listen elsewhere with UNLOOP_HOST.",
    );
  return undefined;
}

/** Names and values in turn. */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = rawHeaders[i];
    if (field?.length === name.length && field.toLowerCase() === name) count++;
  }
  return count;
}

function refused(message: string): UnloopError {
  return new UnloopError("request_refused", message);
}

/** Nothing that follows on the connection is read: where it begins would be a matter of opinion. */
export function answerRefusal(outgoing: ServerResponse, { code, status, message, cure }: UnloopError): void {
  const error = { code, type: "invalid_request_error", message: `${message} ${cure}` };
  const body = JSON.stringify({ error });
  const length = Buffer.byteLength(body);
  outgoing.writeHead(status, { "content-type": "application/json", "content-length": length, connection: "close" });
  outgoing.end(body);
}
