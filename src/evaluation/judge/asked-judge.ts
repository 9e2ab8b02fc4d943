import { chatCompletions, type Protocol } from "../../protocols/protocols.ts";
import type { promptFor } from "../../goal-judge/goal-judge.ts";
import type { RequestContext } from "../context.ts";
import type { Observed } from "../outcome.ts";
import type { JudgeState } from "./judge-state.ts";

/** Sends a question where the run's own requests go, with the run's own key; undefined where it came to no answer. */
export type AskUpstream = (question: UpstreamQuestion, timeoutMs: number) => Promise<Observed | undefined>;

export type UpstreamQuestion = ReturnType<Protocol["question"]>;

/** A judge as one question sees it. */
export interface AskedJudge {
  /** For one question; there is no second try. */
  readonly timeoutMs: number;
  /** A question, and whether it has a schema for the answer. */
  question(prompt: ReturnType<typeof promptFor>): UpstreamQuestion & { readonly isStructured: boolean };
  send(question: UpstreamQuestion, timeoutMs: number): Promise<Observed | undefined>;
  /** It has refused a question with a schema. */
  refusedSchema(): void;
}

/** The server's judge; undefined where there is none. */
export function ownJudge({ endpoint, ask, isStructured, refusedSchema }: JudgeState): AskedJudge | undefined {
  if (endpoint === undefined) return undefined;
  const { model, timeoutMs } = endpoint;
  return {
    timeoutMs,
    question(prompt) {
      const answer = isStructured() ? prompt.answer : undefined;
      const question = chatCompletions.question({ model, ...prompt, answer }, chatCompletions.path);
      return { ...question, isStructured: answer !== undefined };
    },
    send: ({ body }, withinMs) => ask(body, { ...endpoint, timeoutMs: withinMs }),
    refusedSchema,
  };
}

const UPSTREAM_TIMEOUT_MS = 30_000;

/** A model of the run's own upstream, asked in the run's own wire format. @param target of the run's own request */
export function upstreamJudge(
  model: string,
  target: string,
  send: AskUpstream,
  { protocol, judgeState }: Pick<RequestContext, "protocol" | "judgeState">,
): AskedJudge {
  return {
    timeoutMs: judgeState.endpoint?.timeoutMs ?? UPSTREAM_TIMEOUT_MS,
    // Which upstreams take a schema is not known; the prompt asks for the form in words.
    question: (prompt) => ({
      ...protocol.question({ model, ...prompt, answer: undefined }, target),
      isStructured: false,
    }),
    send,
    refusedSchema: () => undefined,
  };
}
