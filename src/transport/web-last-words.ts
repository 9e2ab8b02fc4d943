import type { Fields } from "./transport.ts";

/**
 * Error event that ends a broken stream where the platform cannot abort the connection. SDKs throw at it: OpenAI's
 * by its `error`, Anthropic's by its name. Undefined for other answers: a JSON text that is cut cannot be read anyway.
 */
export function errorEvent(fields: Fields): Uint8Array | undefined {
  if (!/^text\/event-stream\b/i.test(String(fields["content-type"]))) return undefined;
  const error = { type: "api_error", code: "upstream_broke_off", message: "The upstream broke its answer off." };
  // Two line ends first: what was cut must not run into it.
  return new TextEncoder().encode(`\n\nevent: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`);
}
