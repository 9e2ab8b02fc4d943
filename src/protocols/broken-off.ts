/**
 * Error event that ends a broken event stream where the platform cannot abort the connection, whatever the wire format. SDKs
 * throw at it: OpenAI's by its `error`, Anthropic's by its name. Undefined for other answers: a JSON text that is cut cannot
 * be read anyway.
 */
export function brokenOffEvent(contentType: string): string | undefined {
  if (!/^text\/event-stream\b/i.test(contentType)) return undefined;
  const error = { type: "api_error", code: "upstream_broke_off", message: "The upstream broke its answer off." };
  // Two line ends first: what was cut must not run into it.
  return `\n\nevent: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`;
}
