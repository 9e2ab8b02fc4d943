import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Stall, watchEventLoop } from "../../src/transport/node.ts";

describe("the watchdog of the event loop", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  const watched = () => {
    const stalls: Stall[] = [];
    let now = 0;
    const watchdog = watchEventLoop(
      () => now,
      (stall) => stalls.push(stall),
    );
    const pass = (ms: number) => {
      now += ms;
      vi.advanceTimersByTime(100);
    };
    return { ...watchdog, pass, stalls };
  };

  it("reports a long stall with the largest work that had begun", () => {
    const { works, pass, stalls } = watched();
    works("tail", 10);
    works("parse", 4_000);
    works("tail", 20);
    pass(900);
    expect(stalls).toEqual([{ ms: 800, cpuMs: expect.any(Number), phase: "parse", bytes: 4_000 }]);
  });
});
