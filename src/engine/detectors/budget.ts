import type { Detector } from "../finding.ts";

/** How many steps the thread has taken; a policy that sets no limit makes nothing of it. */
export const budget: Detector = ({ total }) => [
  {
    detector: "budget",
    grade: "steps",
    loop: "budget:steps",
    count: total,
    evidence: [0, total - 1],
    note: `${total} steps taken`,
  },
];
