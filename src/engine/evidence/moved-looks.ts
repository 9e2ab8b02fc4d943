import { type ActingStep, hasFailed } from "../view.ts";
import { tellsNews } from "./evidence.ts";
import { isEffect } from "./relation.ts";

/** Between each two of them a look that is taken more than once tells something new. A failure moves nothing. */
export function movesSomething(actions: readonly ActingStep[], repeats: readonly ActingStep[]): boolean {
  const places = repeats.map((repeat) => actions.indexOf(repeat));
  const gaps = places.slice(1).map((to, i) => actions.slice((places[i] ?? to) + 1, to));
  if (gaps.length === 0 || repeats.some(({ fingerprint }) => hasFailed(fingerprint))) return false;
  return gaps.every((gap) => gap.some((act) => isMovedLook(actions, act)));
}

function isMovedLook(actions: readonly ActingStep[], look: ActingStep): boolean {
  const { callsHash } = look.fingerprint;
  const isTakenMore = actions.some((other) => other !== look && other.fingerprint.callsHash === callsHash);
  return isTakenMore && !look.fingerprint.calls.every(isEffect) && tellsNews(actions, actions.indexOf(look));
}
