import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readConversations } from "../../src/cli/replay.ts";

/** A conversation with its label, whichever collection it comes from. */
export interface Labelled {
  readonly id: string;
  readonly family: string;
  readonly kind: string;
  readonly messages: unknown;
  readonly loops: boolean;
  /** Index of the assistant message from which on it loops; undefined where the label does not say. */
  readonly start: number | undefined;
  /** Counts towards the rates: a hard case, or a session drawn at random. */
  readonly counts: boolean;
  /** The hardest rung that can be argued for. */
  readonly worst?: "nudge";
}

/** One answer's text says nothing to detectors over steps. */
const ONE_ANSWER = new Set(["chant"]);

/** The cases are ours and lie in the repository too. */
export async function loadCases(data: string): Promise<readonly Labelled[]> {
  const beside = join(data, "cases", "dev.jsonl");
  const file = existsSync(beside) ? beside : "bench/loopbench/data/cases.jsonl";
  return load(file, (record) => {
    const { id, kind, expect, strength, onset, messages } = record;
    if (ONE_ANSWER.has(String(kind))) return undefined;
    const start = typeof onset === "number" ? onset : undefined;
    return {
      id: String(id),
      family: "case",
      kind: String(kind),
      messages,
      loops: expect === "loop",
      start,
      counts: strength === "hard",
    };
  });
}

/** Conversations restated from real threads, in families of a loop and its healthy twin; a copy lies in the repository. */
export async function loadThreads(data: string): Promise<readonly Labelled[] | undefined> {
  const places = [join(data, "cases", "threads-dev.jsonl"), "bench/loopbench/data/threads.jsonl"];
  const file = places.find((place) => existsSync(place));
  if (file === undefined) return undefined;
  return load(file, (record) => {
    const { id, family, kind, expect, strength, onset, worst, messages } = record;
    const start = typeof onset === "number" ? onset : undefined;
    return {
      id: String(id),
      family: String(family),
      kind: String(kind),
      messages,
      loops: expect === "loop",
      start,
      counts: strength === "hard",
      ...(worst === "nudge" ? { worst } : {}),
    };
  });
}

/** Undefined: there are none here; they are not part of the repository. What two readers do not share counts nowhere. */
export async function loadSessions(data: string): Promise<readonly Labelled[] | undefined> {
  const file = join(data, "trajectories", "dev.jsonl.gz");
  if (!existsSync(file)) return undefined;
  const secondLabels = await loadSecondLabels();
  return load(file, (record) => {
    const { id, family, label, loop_kind, loop_start_turn, sampling, messages } = record;
    if (label === "borderline" || (secondLabels.get(String(id)) ?? label) !== label) return undefined;
    const start = typeof loop_start_turn === "number" ? loop_start_turn : undefined;
    const loops = label === "loop";
    return {
      id: String(id),
      family: String(family),
      kind: String(loop_kind ?? "ok"),
      messages,
      loops,
      start,
      counts: sampling === "random",
    };
  });
}

/** What another reader said of some sessions, by their ids. */
async function loadSecondLabels(): Promise<ReadonlyMap<string, string>> {
  const lines = (await readFile("bench/detection/second-labels.jsonl", "utf8")).split("\n").filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line)).map(({ id, label }) => [id, label]));
}

export function bySource(
  cases: readonly Labelled[],
  threads: readonly Labelled[] | undefined,
  sessions: readonly Labelled[] | undefined,
): string {
  const restated = threads === undefined ? "no cases from threads" : `${threads.length} cases from threads`;
  const told =
    sessions === undefined
      ? "no sessions (set UNLOOP_DATA to the folder that holds trajectories/)"
      : `${sessions.length} sessions`;
  return `${cases.length} cases, ${restated}, ${told}`;
}

type Fields = Readonly<Record<string, unknown>>;

async function load(file: string, label: (record: Fields) => Labelled | undefined): Promise<readonly Labelled[]> {
  const found: Labelled[] = [];
  for await (const { record } of readConversations(file, process.stdin)) {
    const labelled =
      typeof record === "object" && record !== null ? label(Object.fromEntries(Object.entries(record))) : undefined;
    if (labelled !== undefined) found.push(labelled);
  }
  return found;
}
