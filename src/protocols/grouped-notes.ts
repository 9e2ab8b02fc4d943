import type { Edit } from "./protocol.ts";

/** All notes that stand in one place, in order. */
export interface NotesAt {
  readonly step: number;
  /** The call behind whose result they stand, where the step's message tells other steps, too. */
  readonly call: string | undefined;
  /** They stand in the last message. */
  readonly atEnd: boolean;
  readonly texts: readonly string[];
}

export function groupedNotes(notes: readonly Extract<Edit, { kind: "note" }>[]): readonly NotesAt[] {
  const places = new Map<string, NotesAt & { readonly texts: string[] }>();
  for (const { step, call, atEnd = false, text } of notes) {
    const place = `${step}\u0000${call ?? ""}\u0000${atEnd}`;
    const group = places.get(place);
    if (group === undefined) places.set(place, { step, call, atEnd, texts: [text] });
    else group.texts.push(text);
  }
  return [...places.values()];
}
