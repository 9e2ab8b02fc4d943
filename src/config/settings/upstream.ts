import { LONGEST_TIMER_MS, upstreamsByPrefix, upstreamUrl, wholeNumber } from "../setting-text.ts";
import type { Setting } from "./setting.ts";

/** Where requests are sent, and how long that may take. */
export const upstreamSettings = {
  upstream: {
    env: "UNLOOP_UPSTREAM",
    edge: true,
    flag: "--upstream",
    standard: undefined,
    parse: (text: string, name: string) => (text === "" ? undefined : upstreamUrl(text, name)),
    about: "The API that Unloop forwards to. Without it each wire format goes to its vendor's API.",
  },
  upstreams: {
    env: "UNLOOP_UPSTREAMS",
    edge: true,
    standard: undefined,
    parse: upstreamsByPrefix,
    about: "Further APIs by path prefix: `/groq=https://api.groq.com/openai,/local=http://127.0.0.1:11434`.",
  },
  connectTimeoutMs: {
    env: "UNLOOP_CONNECT_TIMEOUT_MS",
    limit: true,
    standard: "10000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about: "Timeout for connecting to the upstream, in milliseconds.",
  },
  firstByteTimeoutMs: {
    env: "UNLOOP_FIRST_BYTE_TIMEOUT_MS",
    limit: true,
    edge: true,
    standard: "600000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long the upstream may take to start its answer, in milliseconds.",
  },
  idleTimeoutMs: {
    env: "UNLOOP_IDLE_TIMEOUT_MS",
    limit: true,
    edge: true,
    standard: "300000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long the upstream may be silent during an answer, in milliseconds.",
  },
  upstreamConnections: {
    env: "UNLOOP_UPSTREAM_CONNECTIONS",
    limit: true,
    standard: "1024",
    ...wholeNumber(1),
    about: "Maximum number of connections to one upstream; further requests wait for a free one.",
  },
  upstreamWaitMs: {
    env: "UNLOOP_UPSTREAM_WAIT_MS",
    limit: true,
    standard: "5000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about:
      "How long a request may wait for a free upstream connection before it is answered with 503, in milliseconds.",
  },
} as const satisfies Readonly<Record<string, Setting>>;
