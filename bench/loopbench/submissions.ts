import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Judged } from "./ask-all.ts";
import { type Conversation, verdicts } from "./conversations.ts";

/** What a detector from elsewhere has said, kept so that it can be scored again. */
export interface Submission {
  readonly name: string;
  readonly judged: readonly Judged[];
}

const head = z.object({ name: z.string().min(1) });
const line = z.object({
  key: z.string(),
  flags: z.array(z.tuple([z.number(), z.enum(verdicts).exclude(["none"])])),
  failure: z.string().optional(),
});

/** One file of JSON lines for each detector: its name, then a line for each conversation. */
export async function saveSubmission(folder: string, { name, judged }: Submission): Promise<string> {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ["detector"];
  const file = join(folder, `${words.join("-")}.jsonl`);
  const lines = judged.map(({ of, flags, failure }) => ({
    key: of.key,
    flags: flags.map(({ turn, verdict }) => [turn, verdict]),
    ...(failure && { failure: failure.message }),
  }));
  await writeFile(file, [{ name }, ...lines].map((one) => `${JSON.stringify(one)}\n`).join(""));
  return file;
}

/** Those that are kept, over these conversations: one that came or changed since counts as not asked. */
export async function readSubmissions(
  folder: string,
  conversations: readonly Conversation[],
): Promise<readonly Submission[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".jsonl")).sort();
  return Promise.all(files.map((file) => readSubmission(join(folder, file), conversations)));
}

async function readSubmission(file: string, conversations: readonly Conversation[]): Promise<Submission> {
  const [first = "", ...rest] = (await readFile(file, "utf8")).split("\n").filter((one) => one !== "");
  const said = new Map(rest.map((one) => line.parse(JSON.parse(one))).map((one) => [one.key, one]));
  const judged = conversations.map((of): Judged => {
    const one = said.get(of.key);
    if (one === undefined) return { of, flags: [], failure: { kind: "not asked", message: "not asked", turn: 0 } };
    const flags = one.flags.map(([turn, verdict]) => ({ turn, verdict }));
    if (one.failure === undefined) return { of, flags };
    return { of, flags, failure: { kind: "crashed", message: one.failure, turn: 0 } };
  });
  return { name: head.parse(JSON.parse(first)).name, judged };
}
