import type { Detector } from "../finding.ts";

/** How often the same request has come within a while, though its history has not grown. */
export const retryStorm: Detector = ({ total, arrivals }, { "retry-storm": { seconds } }) => {
  const last = arrivals.at(-1) ?? 0;
  const count = arrivals.filter((at) => at > last - seconds).length;
  if (count < 2) return [];
  return [
    {
      detector: "retry-storm",
      loop: "retry-storm",
      count,
      evidence: [total - 1],
      tools: [],
      // The request failed, whoever spoke last in it.
      whoeverSpoke: true,
      note: `the same request ${count} times within ${seconds} seconds`,
    },
  ];
};
