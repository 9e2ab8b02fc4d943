import { describe } from "vitest";
import type { Wire } from "../support/wires/wire.ts";
import { answerStories } from "./protocol-answers.ts";
import { demandStories } from "./protocol-demands.ts";
import { endingStories } from "./protocol-endings.ts";
import { readingStories } from "./protocol-reading.ts";
import { requestStories } from "./protocol-requests.ts";
import { retryStories } from "./protocol-retries.ts";
import { sessionStories } from "./protocol-sessions.ts";

/** How an answer comes. */
export interface Way {
  readonly kind: "JSON" | "an event stream" | "a JSON array";
  readonly stream: boolean;
}

const ways: readonly Way[] = [
  { kind: "JSON", stream: false },
  { kind: "an event stream", stream: true },
  { kind: "a JSON array", stream: true },
];

/**
 * All that the guard promises, told once and played in a wire format over real sockets.
 * @param kinds where the URL decides how an answer comes, the one that the wire's URL asks for
 */
export function protocolContract(wire: Wire, kinds: readonly Way["kind"][] = ["JSON", "an event stream"]): void {
  const own = ways.filter(({ kind }) => kinds.includes(kind));
  describe.each(own)(`${wire.name}, answered with $kind:`, (way) => {
    requestStories(wire, way);
    sessionStories(wire, way);
    answerStories(wire, way);
    endingStories(wire, way);
    retryStories(wire, way);
    demandStories(wire, way);
  });
  describe.runIf(own.some(({ stream }) => stream))(`${wire.name}, read:`, () => readingStories(wire));
}
