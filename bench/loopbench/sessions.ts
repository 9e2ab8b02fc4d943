import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { type Conversation, messagesOf } from "./conversations.ts";

const session = z.object({
  id: z.string(),
  family: z.string(),
  label: z.enum(["loop", "ok", "borderline"]),
  loop_kind: z.string().nullable(),
  loop_start_turn: z.number().nullable(),
  sampling: z.string(),
  messages: messagesOf,
});

/**
 * Recorded runs of real agents, which are not part of the repository: from the folder that `UNLOOP_DATA` names, none where it has
 * none. Those drawn at random count. What two readers do not share is left out.
 */
export function readSessions(): readonly Conversation[] {
  const file = join(process.env.UNLOOP_DATA ?? "../shared", "trajectories", "dev.jsonl.gz");
  if (!existsSync(file)) {
    console.error("There are no sessions: UNLOOP_DATA names no folder with trajectories/dev.jsonl.gz.");
    return [];
  }
  const second = new Map(
    rowsIn(readFileSync("bench/loopbench/second-labels.jsonl")).map(({ id, label }) => [id, label]),
  );
  return rowsIn(gunzipSync(readFileSync(file))).flatMap((row): Conversation[] => {
    const { id, family, label, loop_kind, loop_start_turn, sampling, messages } = session.parse(row);
    if (label === "borderline" || (second.get(id) ?? label) !== label) return [];
    return [
      {
        ...{ id, key: id, set: "sessions", family, kind: loop_kind ?? "ok", language: "?", tools: [], messages },
        loops: label === "loop",
        counts: sampling === "random",
        start: loop_start_turn ?? undefined,
      },
    ];
  });
}

const rowsIn = (bytes: Buffer) =>
  bytes
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
