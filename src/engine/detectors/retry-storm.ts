import { defineDetector, wholeNumberSetting } from "../detector.ts";

const settings = {
  /** Within so many seconds the same request is one storm. */
  seconds: wholeNumberSetting(60),
};

/** Retry storm: how often the same request has come within a while, though it was answered whole and alike each time. */
export const retryStorm = defineDetector({
  name: "retry-storm",
  grades: {},
  tells: "arrivals",
  settings,
  needs: "arrivals",
  detect({ total, arrivals }, { seconds }) {
    const last = arrivals.at(-1) ?? 0;
    const count = arrivals.filter((at) => at > last - seconds).length;
    if (count < 2) return [];
    return [
      {
        loop: "retry-storm",
        count,
        evidence: [total - 1],
        tools: [],
        // The request itself repeats, so it does not matter who spoke last in it.
        evenIfUserSpoke: true,
        note: `the same request ${count} times within ${seconds} seconds`,
      },
    ];
  },
});
