import type { AnswerSink } from "./transport.ts";

/** Hands pieces of an answer on: those that arrive in one tick as one, at its end. */
export interface TickGatherer {
  /** Something may arrive within this tick. Called before what else is to run at its end, it comes before that. */
  expect(): void;
  add(piece: Uint8Array): void;
  /** Hands on what has come before an end or a failure is told. The source, whose connection may serve another by now, is let alone. */
  finish(): void;
}

/** Brakes that slow down the source of the pieces. */
export interface Brakes {
  pause(): void;
  resume(): void;
}

/**
 * An upstream's writes arrive many at a time, and each costs as much to look at and to write as all of them together do. None
 * waits for a later tick: it goes with what has been read from the socket by then.
 */
export function tickGatherer(write: AnswerSink["write"], brakes: Brakes): TickGatherer {
  let pieces: Uint8Array[] = [];
  let isDue = false;
  let isPatient = false;
  let isOver = false;

  function handOn(): Promise<void> | undefined {
    const [first] = pieces;
    if (first === undefined) return undefined;
    const bytes = pieces.length === 1 ? first : Buffer.concat(pieces);
    pieces = [];
    return write(bytes);
  }

  /** A source that was told to pause may still have one piece to give. */
  function proceed(): void {
    if (isPatient) return;
    const ready = handOn();
    if (ready === undefined) return;
    isPatient = true;
    brakes.pause();
    ready.then(goOn, goOn);
  }

  function goOn(): void {
    isPatient = false;
    proceed();
    if (!isPatient && !isOver) brakes.resume();
  }

  const atEndOfTick = () => {
    isDue = false;
    proceed();
  };

  function expect(): void {
    if (isDue) return;
    isDue = true;
    process.nextTick(atEndOfTick);
  }

  return {
    expect,
    add(piece) {
      pieces.push(piece);
      expect();
    },
    finish() {
      isOver = true;
      void handOn();
    },
  };
}
