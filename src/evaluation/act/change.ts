import type { Policy } from "../../policy/policy.ts";
import type { ParsedRequest, Protocol } from "../../protocols/protocols.ts";
import type { MergeResult, PositionedIntervention } from "../../session/session.ts";
import { editsFor } from "./interventions.ts";

/** What goes upstream in the place of a request. */
export interface Change {
  readonly body: string;
  /** Set where it takes tools away, or chooses one (`tool`): what it says without that. */
  readonly narrowing?: { readonly kind: "none" | "tool"; readonly notes: string };
  /** The request as its client meant it; undefined where that is not to be asked. */
  readonly plain?: string;
}

/** @param foreseen what an answer to this very request would have led to. The body is the request's own if no edit finds a place */
export function changedRequest(
  {
    body: unchanged,
    request,
    merged,
  }: { readonly body: string; readonly request: ParsedRequest; readonly merged: MergeResult },
  { protocol, policy }: { readonly protocol: Protocol; readonly policy: Policy },
  foreseen?: PositionedIntervention,
): Change {
  const edits = editsFor(request, merged, policy, foreseen);
  if (edits.length === 0) return { body: unchanged };
  const body = protocol.rewrite(request, edits);
  const finish = edits.find((edit) => edit.kind === "finish");
  if (finish === undefined) return { body };
  const others = edits.filter((edit) => edit !== finish);
  const notes = protocol.rewrite(request, others);
  return notes === body ? { body } : { body, narrowing: { kind: finish.tool === undefined ? "none" : "tool", notes } };
}

/** Models that are remembered; the oldest make room. */
const MAX_MODELS = 1000;
/** A failure of one moment must not count for ever. In milliseconds. */
const REMEMBERED_MS = 60 * 60 * 1000;

/** Which narrowings an API has refused although it took the notes without them, as far as this process knows. */
export interface RefusedNarrowings {
  has(name: string): boolean;
  note(name: string): void;
}

export function refusedNarrowings(clock: () => number): RefusedNarrowings {
  const times = new Map<string, number>();
  return {
    has: (name) => clock() - (times.get(name) ?? Number.NEGATIVE_INFINITY) < REMEMBERED_MS,
    note(name) {
      times.delete(name);
      times.set(name, clock());
      const [oldest] = times.keys();
      if (times.size > MAX_MODELS && oldest !== undefined) times.delete(oldest);
    },
  };
}
