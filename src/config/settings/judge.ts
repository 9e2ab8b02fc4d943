import { LONGEST_TIMER_MS, upstreamUrl, wholeNumber } from "../setting-text.ts";
import type { Setting } from "./setting.ts";

/** The model that judges how near a goal is. */
export const judgeSettings = {
  judgeUpstream: {
    env: "UNLOOP_JUDGE_UPSTREAM",
    edge: true,
    standard: "https://api.openai.com",
    parse: upstreamUrl,
    about: "The API of the judge: any that understands chat completions.",
  },
  judgeKey: {
    env: "UNLOOP_JUDGE_KEY",
    edge: true,
    standard: undefined,
    parse: (text) => text || undefined,
    about: "The judge's own key, sent as bearer token; none is sent without it.",
  },
  judgeModel: {
    env: "UNLOOP_JUDGE_MODEL",
    edge: true,
    standard: undefined,
    parse: (text) => text || undefined,
    about: "The model that judges how near the goal is, for policies with `judge`. Without it no judge is asked.",
  },
  judgeTimeoutMs: {
    env: "UNLOOP_JUDGE_TIMEOUT_MS",
    edge: true,
    standard: "30000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about:
      "How long the judge may take for one question, in milliseconds. Exchanges wait for it only where a policy says so.",
  },
  judgeMaxConcurrent: {
    env: "UNLOOP_JUDGE_MAX_CONCURRENT",
    edge: true,
    standard: "8",
    ...wholeNumber(1, 1_000),
    about:
      "Questions to the judge under way at a time. Further ones wait their turn, the session judged longest ago first.",
  },
} as const satisfies Readonly<Record<string, Setting>>;
