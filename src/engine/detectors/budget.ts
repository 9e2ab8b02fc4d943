import { defineDetector, type RawFinding } from "../detector.ts";

const name = "budget" as const;
const grades = { steps: "refining", tokens: "extra", cost: "extra", seconds: "extra" } as const;

/** The names of the ladders that a limit of this kind stands for: its own, and the main one where it goes by that. */
export function laddersOfLimit(limit: keyof typeof grades) {
  return { own: `${name}:${limit}` as const, main: grades[limit] === "refining" ? name : undefined };
}

/** Budget: what the session has used up, in each kind that is counted; a policy that sets no limit ignores it. */
export const budget = defineDetector({
  name,
  grades,
  tells: { main: "steps", tokens: "tokens", cost: "cost", seconds: "seconds" },
  settings: {},
  detect({ total, elsewhere, usage: { tokens, cost, seconds } }) {
    const used = (
      grade: NonNullable<RawFinding["limit"]>,
      count: number | undefined,
      note: string,
    ): readonly RawFinding[] => {
      if (count === undefined) return [];
      const evidence = [0, Math.max(0, total - 1)];
      return [
        { grade, limit: grade, loop: `budget:${grade}`, count, evidence, tools: [], evenIfUserSpoke: true, note },
      ];
    };
    return [
      ...used("steps", total + elsewhere, `${total + elsewhere} steps taken`),
      ...used("tokens", tokens, `${tokens} tokens used`),
      ...used("cost", cost, `cost of ${(cost ?? 0) / 1_000_000}`),
      ...used("seconds", seconds, `${seconds} seconds passed`),
    ];
  },
});
