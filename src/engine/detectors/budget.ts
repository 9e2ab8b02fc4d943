import type { Detector } from "../finding.ts";

/** How many steps the session has taken; a policy that sets no limit makes nothing of it. */
export const budget: Detector = ({ total, elsewhere }) => [
  {
    detector: "budget",
    grade: "steps",
    loop: "budget:steps",
    count: total + elsewhere,
    evidence: [0, total - 1],
    note: `${total + elsewhere} steps taken`,
  },
];
