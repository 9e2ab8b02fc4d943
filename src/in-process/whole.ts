import { UnloopError } from "../errors.ts";
import type { ChatToolCall } from "./chat.ts";
import { type InProcessGuard, type ModelCall, type ModelVerdict, verdictIn } from "./guard.ts";
import { refusalIn } from "./stream.ts";

/** An answer in one piece. */
export type WholeAnswer = { readonly verdict: ModelVerdict } & (
  | { readonly ask: number }
  | { readonly ask: undefined; readonly own: OwnCompletion }
);

/** An answer of the guard's own. */
export interface OwnCompletion {
  readonly text: string;
  readonly calls: readonly ChatToolCall[];
}

/**
 * Runs a call whose answer comes in one piece. @returns which of the model's answers it is, or the guard's own
 * @throws UnloopError `loop_detected` where the policy ends runs with an error
 */
export async function readWhole(guard: InProcessGuard, call: ModelCall): Promise<WholeAnswer> {
  const pieces: Uint8Array[] = [];
  let head: { readonly status: number; readonly verdict: ModelVerdict } | undefined;
  let failure: unknown;
  await guard(call, {
    head: (status, fields) => {
      head = { status, verdict: verdictIn(fields) };
    },
    write: (bytes) => {
      pieces.push(bytes);
      return undefined;
    },
    end: () => undefined,
    fail: (reason) => {
      failure = reason;
    },
  });
  if (head === undefined) throw failure ?? new UnloopError("internal_error", "The guard gave no answer.");
  const text = await new Blob(pieces as BlobPart[]).text();
  const json = JSON.parse(text);
  const { status, verdict } = head;
  if (status >= 400) throw new UnloopError("loop_detected", refusalIn(text));
  if (typeof json.ask === "number") return { verdict, ask: json.ask };
  const { content, tool_calls = [] } = json.choices[0].message;
  return { verdict, ask: undefined, own: { text: content ?? "", calls: tool_calls } };
}
