import { describe, expect, it } from "vitest";
import { type Breaker, type BreakerState, breaker } from "../../../src/store/resilient/resilient.ts";

interface Rig extends Breaker {
  readonly changes: readonly string[];
  pass(ms: number): void;
}

function rig(failures = 3): Rig {
  let time = 0;
  const changes: string[] = [];
  const onChange = (state: BreakerState, reason: string) => changes.push(`${state}: ${reason}`);
  const made = breaker({ failures, pauseMs: 1_000, now: () => time, onChange });
  return { ...made, changes, pass: (ms) => (time += ms) };
}

function fail(made: Breaker, times: number): void {
  for (let i = 0; i < times; i += 1) made.failed("yes", `failure ${i + 1}`);
}

describe("a breaker", () => {
  it("lets everything through while all is well, and says nothing", () => {
    const made = rig();
    for (let i = 0; i < 5; i += 1) {
      expect(made.admit()).toBe("yes");
      made.succeeded("yes");
    }
    expect(made.changes).toEqual([]);
  });

  it("opens at the failure that makes them enough in a row, and tells that one's reason once", () => {
    const made = rig();
    fail(made, 2);
    made.succeeded("yes");
    fail(made, 2);
    expect(made.admit()).toBe("yes");
    fail(made, 3);
    expect(made.admit()).toBe("no");
    expect(made.changes).toEqual(["open: failure 1"]);
  });

  it("sends one probe after the pause and nothing beside it", () => {
    const made = rig();
    fail(made, 3);
    made.pass(999);
    expect(made.admit()).toBe("no");
    made.pass(1);
    expect([made.admit(), made.admit(), made.admit()]).toEqual(["probe", "no", "no"]);
  });

  it("closes when the probe succeeds", () => {
    const made = rig();
    fail(made, 3);
    made.pass(1_000);
    made.succeeded(made.admit() === "probe" ? "probe" : "yes");
    expect(made.admit()).toBe("yes");
    expect(made.changes).toEqual(["open: failure 3", "closed: it answers again"]);
  });

  it("waits again when the probe fails, without a word", () => {
    const made = rig();
    fail(made, 3);
    for (let i = 0; i < 3; i += 1) {
      made.pass(1_000);
      expect(made.admit()).toBe("probe");
      made.failed("probe", "still gone");
      expect(made.admit()).toBe("no");
    }
    expect(made.changes).toEqual(["open: failure 3"]);
  });

  it("sends another probe at once when one came to nothing", () => {
    const made = rig();
    fail(made, 3);
    made.pass(1_000);
    made.admit();
    made.withdrawn("probe");
    expect(made.admit()).toBe("probe");
  });

  it("believes no answer to what was sent before it opened", () => {
    const made = rig();
    fail(made, 3);
    made.succeeded("yes");
    made.failed("yes", "late");
    expect(made.admit()).toBe("no");
    expect(made.changes).toEqual(["open: failure 3"]);
  });

  it("counts afresh after it closed", () => {
    const made = rig();
    fail(made, 3);
    made.pass(1_000);
    made.admit();
    made.succeeded("probe");
    fail(made, 2);
    expect(made.admit()).toBe("yes");
    fail(made, 1);
    expect(made.admit()).toBe("no");
  });
});
