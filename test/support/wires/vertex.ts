import { messagesWire } from "./messages.ts";
import type { Asking, Wire } from "./wire.ts";

const model = "claude-sonnet-4-5@20250929";

export function vertexWire(stream: boolean): Wire {
  const method = stream ? "streamRawPredict" : "rawPredict";
  return {
    ...messagesWire,
    path: `/v1/projects/p-1/locations/us-east5/publishers/anthropic/models/${model}:${method}`,
    fields: { authorization: "Bearer ya29.test" },
    body(asking: Asking) {
      const { model: _, ...body } = { model: "", ...messagesWire.body(asking) };
      return { anthropic_version: "vertex-2023-10-16", ...body };
    },
  };
}
