import { describe, expect, it, onTestFinished, vi } from "vitest";
import { aborting } from "../../support/servers/aborting.ts";
import { logInto, type LogLine } from "../guard-rig.ts";

describe("clients that leave by the dozen", () => {
  it("leave nothing open upstream and nothing unlogged, whether a call was held or asked for again", async () => {
    const logged: LogLine[] = [];
    const guard = await aborting({ log: logInto(logged) });
    onTestFinished(() => guard.close());
    for (let done = 0; done < 60; done += 20) {
      const ways = Array.from({ length: 10 }, () => [guard.exchange("held"), guard.exchange("asked again")]);
      await Promise.all(ways.flat());
    }
    await vi.waitFor(() => expect(guard.upstream()).toEqual({ asked: 90, open: 0 }));
    const exchanges = () => logged.filter(({ event }) => event === "exchange");
    await vi.waitFor(() => expect(exchanges()).toHaveLength(60));
    expect(new Set(exchanges().map(({ broke }) => broke))).toEqual(new Set(["client_gone"]));
    expect(logged.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
  });
});
