/** Side of a rollout by percentage. */
export type RolloutArm = "enforced" | "held-out";

/**
 * The side that a session is on: the same for all its requests, on every replica and after a restart, and independent
 * of the sides it is on in other rollouts. A larger percentage keeps those enforced that a smaller one enforces.
 * @param rollout what is rolled out, such as a rule's name
 */
export function rolloutArm(session: string, rollout: string, percent: number): RolloutArm {
  return fractionOf(`${rollout}\u0000${session}`) * 100 < percent ? "enforced" : "held-out";
}

/** FNV-1a over UTF-16 units with a final mix (murmur3's), as a number from 0 to 1. */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
