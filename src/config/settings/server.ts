import { hostName, LONGEST_TIMER_MS, oneOf, wholeNumber } from "../setting-text.ts";
import type { Setting } from "./setting.ts";

/** The process: where it listens, what it reads at the start, what it logs, and how it stops. */
export const serverSettings = {
  host: {
    env: "UNLOOP_HOST",
    flag: "--host",
    standard: "127.0.0.1",
    parse: hostName,
    about: "The address to listen on.",
  },
  port: {
    env: "UNLOOP_PORT",
    flag: "--port",
    standard: "8787",
    ...wholeNumber(0, 65_535),
    about: "The port to listen on; 0 takes any free one.",
  },
  config: {
    env: "UNLOOP_CONFIG",
    flag: "--config",
    standard: undefined,
    parse: (text: string) => text || undefined,
    about: "A configuration file (YAML or JSON) with upstreams, policies, rules, client keys and admin tokens.",
  },
  log: {
    env: "UNLOOP_LOG",
    edge: true,
    flag: "--log",
    standard: "info",
    parse: oneOf(["silent", "error", "warn", "info", "debug"]),
    about: "Log level: `silent`, `error`, `warn`, `info` or `debug`.",
  },
  drainMs: {
    env: "UNLOOP_DRAIN_MS",
    limit: true,
    standard: "30000",
    ...wholeNumber(0, LONGEST_TIMER_MS),
    about: "How long open exchanges may take to finish when Unloop shuts down, in milliseconds.",
  },
  warmUpMs: {
    env: "UNLOOP_WARM_UP_MS",
    standard: "500",
    ...wholeNumber(0, LONGEST_TIMER_MS),
    about: "CPU time for warming up at the start, in milliseconds.",
  },
  shutdownDelayMs: {
    env: "UNLOOP_SHUTDOWN_DELAY_MS",
    standard: "0",
    ...wholeNumber(0, LONGEST_TIMER_MS),
    about:
      "How long the readiness check fails before the listener closes at shutdown, in milliseconds. Load balancers stop sending traffic meanwhile.",
  },
} as const satisfies Readonly<Record<string, Setting>>;
