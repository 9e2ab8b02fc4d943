import type { Detector, Finding } from "../finding.ts";

/** What the session has used up, in each kind that is counted; a policy that sets no limit makes nothing of it. */
export const budget: Detector = ({ total, elsewhere, spent: { tokens, cost, seconds } }) => {
  const used = (grade: string, count: number | undefined, note: string): readonly Finding[] => {
    if (count === undefined) return [];
    const evidence = [0, Math.max(0, total - 1)];
    return [
      { detector: "budget", grade, loop: `budget:${grade}`, count, evidence, tools: [], whoeverSpoke: true, note },
    ];
  };
  return [
    ...used("steps", total + elsewhere, `${total + elsewhere} steps taken`),
    ...used("tokens", tokens, `${tokens} tokens used`),
    ...used("cost", cost, `cost of ${(cost ?? 0) / 1_000_000}`),
    ...used("seconds", seconds, `${seconds} seconds passed`),
  ];
};
