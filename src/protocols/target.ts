/** What the URL of a request says about it. Undefined where its body says that. */
export interface SaidInTarget {
  readonly model: string | undefined;
  readonly streams: boolean | undefined;
}

const nothing: SaidInTarget = { model: undefined, streams: undefined };

/** @param endpoints their groups `model` and `stream` tell @param target path and query */
export function saidInTarget(endpoints: readonly RegExp[], target: string): SaidInTarget {
  const [path = ""] = target.split("?", 1);
  for (const endpoint of endpoints) {
    const match = endpoint.exec(path);
    if (match === null) continue;
    const { groups = {} } = match;
    return {
      model: groups.model && decoded(groups.model),
      streams: "stream" in groups ? groups.stream !== undefined : undefined,
    };
  }
  return nothing;
}

/** The same URL for another model, where it tells one: in front of its colon. */
export function targetFor(target: string, said: SaidInTarget, model: string): string {
  if (said.model === undefined) return target;
  return target.replace(/^([^?]*\/)[^/:?]+(?=:[^/?]*(?:\?|$))/, (_, before) => before + encodeURIComponent(model));
}

/** Servers take what is no valid encoding as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
