import { framings } from "./framing.ts";

/**
 * Text that ends a broken stream where the platform cannot abort the connection, whatever the wire format. SDKs throw at it:
 * OpenAI's by its `error`, Anthropic's by its name. Undefined for other answers: a JSON text that is cut cannot be read anyway.
 */
export function brokenOffEvent(contentType: string): string | undefined {
  const error = { type: "api_error", code: "upstream_broke_off", message: "The upstream broke its answer off." };
  return framings.find(({ carries }) => carries(contentType))?.broken({ type: "error", error });
}
