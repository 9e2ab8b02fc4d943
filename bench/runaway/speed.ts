import { type RunawayLimits, runawayScanner } from "../../src/runaway/runaway.ts";
import { answerReader, chatCompletions } from "../../src/protocols/protocols.ts";

/** Characters of an event's text: about a token. */
const PIECE = 5;
const ROUNDS = 5;

export interface Speed {
  readonly name: string;
  /** Megabytes of text (a character counts one) a second, the best of the rounds. */
  readonly scanner: number;
  readonly fold: number;
}

/** The scanner beside the bare fold of the same texts, which parses each event; both see the same pieces, in turns. */
export function speedOf(name: string, texts: readonly string[], limits: RunawayLimits): Speed {
  const streams = texts.map((text) => ({ pieces: piecesOf(text), events: piecesOf(text).map(eventOf) }));
  const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / 1e6;
  const best = { scanner: 0, fold: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const fold = secondsOf(() => streams.map(({ events }) => foldAll(events)));
    const scanner = secondsOf(() => streams.map(({ pieces }) => scanAll(pieces, limits)));
    best.fold = Math.max(best.fold, megabytes / fold);
    best.scanner = Math.max(best.scanner, megabytes / scanner);
  }
  return { name, ...best };
}

function scanAll(pieces: readonly string[], limits: RunawayLimits): void {
  const scanner = runawayScanner(limits);
  for (const piece of pieces) scanner.push(piece);
}

function foldAll(events: readonly Uint8Array[]): void {
  const fold = answerReader(chatCompletions, "text/event-stream");
  for (const event of events) fold.push(event);
  fold.end();
}

function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; from += PIECE) pieces.push(text.slice(from, from + PIECE));
  return pieces;
}

function eventOf(content: string): Uint8Array {
  const chunk = {
    id: "chatcmpl-000000000000000000000000",
    object: "chat.completion.chunk",
    created: 1_760_000_000,
    model: "gpt-5",
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  };
  return new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`);
}

function secondsOf(work: () => void): number {
  const begun = performance.now();
  work();
  return (performance.now() - begun) / 1_000;
}
