import { describe } from "vitest";
import type { Wire } from "../support/wires/wire.ts";
import { answerStories } from "./protocol-answers.ts";
import { demandStories } from "./protocol-demands.ts";
import { endingStories } from "./protocol-endings.ts";
import { readingStories } from "./protocol-reading.ts";
import { finishStories, requestStories } from "./protocol-requests.ts";
import { sessionStories } from "./protocol-sessions.ts";

/**
 * All that the guard promises, told once and played in a wire format over real sockets: as a stream, and in one piece where an answer
 * is written or kept back.
 * @param whole where the URL decides how an answer comes, the wire of the other URL
 */
export function protocolContract(wire: Wire, whole = wire): void {
  describe(`${wire.name}, streamed:`, () => {
    requestStories(wire);
    finishStories(wire, true);
    sessionStories(wire);
    answerStories(wire, true);
    endingStories(wire);
    demandStories(wire);
  });
  describe(`${wire.name}, in one piece:`, () => {
    finishStories(whole, false);
    answerStories(whole, false);
  });
  describe(`${wire.name}, read:`, () => readingStories(wire));
}

/** What another address or framing of a format may change. */
export function protocolVariant(wire: Wire, stream: boolean): void {
  describe(`${wire.name}, streamed ${stream}:`, () => {
    finishStories(wire, stream);
    answerStories(wire, stream);
    if (!wire.namesCalls) sessionStories(wire);
  });
  if (stream) describe(`${wire.name}, read:`, () => readingStories(wire));
}
