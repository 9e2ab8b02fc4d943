import { LONGEST_TIMER_MS, upstreamUrl, wholeNumber } from "../setting-text.ts";
import type { Setting } from "./setting.ts";

/** The model that judges how near a goal is. */
export const judgeSettings = {
  judgeUpstream: {
    env: "UNLOOP_JUDGE_UPSTREAM",
    edge: true,
    standard: "https://api.openai.com",
    parse: upstreamUrl,
    about: "The judge's API; any chat completions API works.",
  },
  judgeKey: {
    env: "UNLOOP_JUDGE_KEY",
    edge: true,
    standard: undefined,
    parse: (text) => text || undefined,
    about: "The judge's own API key, sent as bearer token. Without it no key is sent.",
  },
  judgeModel: {
    env: "UNLOOP_JUDGE_MODEL",
    edge: true,
    standard: undefined,
    parse: (text) => text || undefined,
    about: "The model that scores how near the goal is, for policies with `judge`. Without it there is no judge.",
  },
  judgeTimeoutMs: {
    env: "UNLOOP_JUDGE_TIMEOUT_MS",
    edge: true,
    standard: "30000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about:
      "Time limit for one question to the judge, in milliseconds. Exchanges wait for the judge only if the policy says so.",
  },
} as const satisfies Readonly<Record<string, Setting>>;
