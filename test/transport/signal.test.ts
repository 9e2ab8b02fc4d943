import { describe, expect, it } from "vitest";
import { abortable } from "../../src/transport/transport.ts";

describe("abortable", () => {
  it("tells nobody who has left, and all who stay though one leaves while it is told", () => {
    const signal = abortable();
    const heard: string[] = [];
    const leaving = () => {
      heard.push("leaving");
      signal.removeEventListener("abort", leaving);
    };
    const gone = () => heard.push("gone");
    signal.addEventListener("abort", gone);
    signal.addEventListener("abort", leaving);
    signal.addEventListener("abort", () => heard.push("staying"));
    signal.removeEventListener("abort", gone);
    signal.abort("now");
    expect(heard).toEqual(["leaving", "staying"]);
  });

  it.each([
    { name: "a plain one", earlier: abortable() },
    { name: "an AbortSignal", earlier: aborting() },
  ])("follows $name, now and later, but not the other way round", ({ earlier }) => {
    const own = abortable(earlier);
    own.abort("own");
    expect(earlier.aborted).toBe(false);
    const follower = abortable(earlier);
    earlier.abort("earlier");
    expect([follower.reason, abortable(earlier).reason, own.reason]).toEqual(["earlier", "earlier", "own"]);
  });
});

function aborting() {
  const controller = new AbortController();
  return Object.assign(controller.signal, { abort: (reason: unknown) => controller.abort(reason) });
}
