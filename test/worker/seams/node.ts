import { type WebTransportOptions, webTransport } from "../../../src/transport/web.ts";

/** Stands where the stories ask for node's transport: in an isolate there is the one of the platform. */
export function nodeTransport(options: WebTransportOptions = {}) {
  return webTransport(options);
}
