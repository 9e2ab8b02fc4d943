import type { ExchangeReport } from "../../../src/proxy/proxy.ts";

/** What observers are told of an exchange that went well, changed. */
export const reportOf = (change: Partial<ExchangeReport> = {}): ExchangeReport => ({
  wire: "chat-completions",
  upstream: new URL("https://api.openai.com/v1"),
  model: "gpt-x",
  session: "s",
  sessionKey: undefined,
  mode: "enforce",
  policy: "default",
  placement: {},
  verdict: "ok",
  intervention: undefined,
  status: 200,
  failure: undefined,
  responseId: "r",
  responseModel: "gpt-x-2026",
  finishReason: "stop",
  usage: { inputTokens: 3, outputTokens: 4, cachedInputTokens: 1 },
  cut: false,
  ownMs: 0.5,
  firstByteMs: 250,
  durationMs: 1_000,
  traceparent: undefined,
  tracestate: undefined,
  ...change,
});
