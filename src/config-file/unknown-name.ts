import { detectorNames } from "../engine/engine.ts";
import { presetNames } from "../policy/policy.ts";
import type { Path, Problem } from "../shapes/shapes.ts";
import { isMisspelt, knownInstead, nearestName } from "../text/nearest-name.ts";

/** A name that stands for nothing, with what was probably meant. */
export function unknownName(path: Path, name: string, kind: string, names: readonly string[]): readonly Problem[] {
  if (names.includes(name)) return [];
  const nearest = nearestName(name, names);
  // Of names that the file itself gives only the one that was likely meant is told.
  const published = names.filter((one) => presetNames.includes(one) || detectorNames.some((own) => own === one));
  const others = published.length > 0 ? knownInstead("", published) : "name one that there is.";
  const meant = nearest === undefined ? others : `did you mean ${JSON.stringify(nearest)}?`;
  const is = isMisspelt(name, names) ? `is ${JSON.stringify(name)}, which is not a` : "is not a";
  return [{ path, problem: `${is} ${kind}; ${meant}` }];
}
