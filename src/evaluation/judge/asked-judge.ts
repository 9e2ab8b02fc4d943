import { promptBody } from "../../protocols/protocols.ts";
import type { promptFor } from "../../goal-judge/goal-judge.ts";
import type { RequestContext } from "../context.ts";
import type { Observed } from "../outcome.ts";
import type { JudgeState } from "./judge-state.ts";

/** Sends a question where the run's own requests go, with the run's own key; undefined where it came to no answer. */
export type AskUpstream = (question: string, timeoutMs: number) => Promise<Observed | undefined>;

/** A judge as one question sees it. */
export interface AskedJudge {
  /** For one question; there is no second try. */
  readonly timeoutMs: number;
  /** Body of a question, and whether it has a schema for the answer; undefined where it cannot be written in the judge's format. */
  body(prompt: ReturnType<typeof promptFor>): { readonly text: string; readonly isStructured: boolean } | undefined;
  send(body: string, timeoutMs: number): Promise<Observed | undefined>;
  /** It has refused a question with a schema. */
  refusedSchema(): void;
}

/** The server's judge; undefined where there is none. */
export function ownJudge({ endpoint, ask, isStructured, refusedSchema }: JudgeState): AskedJudge | undefined {
  if (endpoint === undefined) return undefined;
  const { model, timeoutMs } = endpoint;
  return {
    timeoutMs,
    body(prompt) {
      const answer = isStructured() ? prompt.answer : undefined;
      const text = promptBody({ model, ...prompt, answer });
      return text === undefined ? undefined : { text, isStructured: answer !== undefined };
    },
    send: (body, withinMs) => ask(body, { ...endpoint, timeoutMs: withinMs }),
    refusedSchema,
  };
}

const UPSTREAM_TIMEOUT_MS = 30_000;

/** A model of the run's own upstream, asked in the run's own wire format. */
export function upstreamJudge(
  model: string,
  askUpstream: AskUpstream,
  { protocol, judgeState }: Pick<RequestContext, "protocol" | "judgeState">,
): AskedJudge {
  return {
    timeoutMs: judgeState.endpoint?.timeoutMs ?? UPSTREAM_TIMEOUT_MS,
    // Which upstreams take a schema is not known; the prompt asks for the form in words.
    body(prompt) {
      const text = promptBody({ model, ...prompt, answer: undefined }, protocol.name);
      return text === undefined ? undefined : { text, isStructured: false };
    },
    send: askUpstream,
    refusedSchema: () => undefined,
  };
}
