import { nearestName } from "../nearest-name.ts";
import {
  bad,
  hostName,
  keyPrefix,
  LONGEST_TIMER_MS,
  oneOf,
  type Parse,
  secretText,
  upstreamsByPrefix,
  upstreamUrl,
  wholeNumber,
} from "./setting-text.ts";

export type Mode = "enforce" | "observe" | "off";
export type LogLevel = "silent" | "error" | "warn" | "info" | "debug";

export interface Settings {
  /** Undefined: each wire format goes to its maker's API. */
  readonly upstream: URL | undefined;
  readonly upstreams: Readonly<Record<string, URL>>;
  readonly host: string;
  readonly port: number;
  readonly mode: Mode;
  readonly policy: string;
  readonly secret: string | undefined;
  readonly maxBodyBytes: number;
  readonly sessionTtlMs: number;
  readonly maxSessions: number;
  readonly threadCacheSteps: number;
  readonly log: LogLevel;
  readonly connectTimeoutMs: number;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly drainMs: number;
  /** Undefined: sessions are kept in this process. */
  readonly redisUrl: string | undefined;
  readonly redisPrefix: string;
  readonly storeDeadlineMs: number;
  readonly allowClientOverrides: boolean;
  readonly adminToken: string | undefined;
  readonly judgeUpstream: URL;
  readonly judgeKey: string | undefined;
  /** Undefined: there is no judge. */
  readonly judgeModel: string | undefined;
  readonly judgeTimeoutMs: number;
}

interface Setting<T> {
  readonly env: `UNLOOP_${string}` | "REDIS_URL";
  /** The command line's flag of the same meaning; it overrides the environment. */
  readonly flag?: `--${string}`;
  /** As one would write it in the environment; undefined if there is none. */
  readonly standard: string | undefined;
  readonly parse: Parse<T>;
  readonly about: string;
}

/** Every setting there is. `docs/configuration.md` is checked against it. */
export const settingsTable: { readonly [K in keyof Settings]: Setting<Settings[K]> } = {
  upstream: {
    env: "UNLOOP_UPSTREAM",
    flag: "--upstream",
    standard: undefined,
    parse: (text, name) => (text === "" ? undefined : upstreamUrl(text, name)),
    about: "The API in front of which Unloop stands. Without it each wire format goes to its maker's API.",
  },
  upstreams: {
    env: "UNLOOP_UPSTREAMS",
    standard: undefined,
    parse: upstreamsByPrefix,
    about:
      "Further APIs by the beginning of the path: `/groq=https://api.groq.com/openai,/local=http://127.0.0.1:11434`.",
  },
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
    parse: wholeNumber(0, 65_535),
    about: "The port to listen on; 0 takes any free one.",
  },
  mode: {
    env: "UNLOOP_MODE",
    flag: "--mode",
    standard: "enforce",
    parse: oneOf(["enforce", "observe", "off"]),
    about: "`enforce` intervenes, `observe` only says what it would do, `off` passes everything on unseen.",
  },
  policy: {
    env: "UNLOOP_POLICY",
    flag: "--policy",
    standard: "default",
    // What the JSON may say is the policy's business, which reads it before the server starts.
    parse: (text, name, policies) => (text.trimStart().startsWith("{") ? text : oneOf(policies)(text, name, policies)),
    about: "What counts as a loop and what is done about it: a preset's name, or a policy as JSON.",
  },
  secret: {
    env: "UNLOOP_SECRET",
    standard: undefined,
    parse: secretText,
    about: "Keys the signatures that are stored; at least 16 characters. Without it each start makes its own.",
  },
  maxBodyBytes: {
    env: "UNLOOP_MAX_BODY_BYTES",
    standard: String(32 * 1024 * 1024),
    parse: wholeNumber(1),
    about: "The largest request body that is read; a larger one is answered with 413.",
  },
  sessionTtlMs: {
    env: "UNLOOP_SESSION_TTL_MS",
    standard: String(6 * 60 * 60 * 1000),
    parse: wholeNumber(1),
    about: "How long a session is remembered after its last request, in milliseconds.",
  },
  maxSessions: {
    env: "UNLOOP_MAX_SESSIONS",
    standard: "10000",
    parse: wholeNumber(1),
    about: "How many sessions are remembered at once without Redis; the least recently used make room.",
  },
  threadCacheSteps: {
    env: "UNLOOP_THREAD_CACHE_STEPS",
    standard: "16384",
    parse: wholeNumber(0),
    about: "Steps of live threads at hand, so that of their next requests only new messages are read; about 1 KB each.",
  },
  log: {
    env: "UNLOOP_LOG",
    flag: "--log",
    standard: "info",
    parse: oneOf(["silent", "error", "warn", "info", "debug"]),
    about: "How much is logged: `silent`, `error`, `warn`, `info` or `debug`.",
  },
  connectTimeoutMs: {
    env: "UNLOOP_CONNECT_TIMEOUT_MS",
    standard: "10000",
    parse: wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long connecting to the upstream may take, in milliseconds.",
  },
  firstByteTimeoutMs: {
    env: "UNLOOP_FIRST_BYTE_TIMEOUT_MS",
    standard: "600000",
    parse: wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long the upstream may take to begin its answer, in milliseconds.",
  },
  idleTimeoutMs: {
    env: "UNLOOP_IDLE_TIMEOUT_MS",
    standard: "300000",
    parse: wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long the upstream may fall silent within an answer, in milliseconds.",
  },
  drainMs: {
    env: "UNLOOP_DRAIN_MS",
    standard: "30000",
    parse: wholeNumber(0, LONGEST_TIMER_MS),
    about: "How long open exchanges may take to finish when Unloop is stopped, in milliseconds.",
  },
  redisUrl: {
    env: "REDIS_URL",
    standard: undefined,
    // What it may say is the store's business, which reads it before the server starts.
    parse: (text) => text || undefined,
    about: "The Redis that several processes share; needs `UNLOOP_SECRET`. Without it each keeps its own sessions.",
  },
  redisPrefix: {
    env: "UNLOOP_REDIS_PREFIX",
    standard: "unloop:",
    parse: keyPrefix,
    about: "What every key in Redis begins with.",
  },
  storeDeadlineMs: {
    env: "UNLOOP_STORE_DEADLINE_MS",
    standard: "50",
    parse: wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long Redis may take to answer before a request goes on without it, in milliseconds.",
  },
  allowClientOverrides: {
    env: "UNLOOP_ALLOW_CLIENT_OVERRIDES",
    standard: "no",
    parse: (text, name, policies) => oneOf(["no", "yes"])(text, name, policies) === "yes",
    about: "`yes` lets clients choose with the headers `x-unloop-mode` and `x-unloop-policy`.",
  },
  adminToken: {
    env: "UNLOOP_ADMIN_TOKEN",
    standard: undefined,
    parse: secretText,
    about:
      "Opens `/unloop/metrics` to who sends it as bearer token; at least 16 characters. Without it only a server on loopback shows them.",
  },
  judgeUpstream: {
    env: "UNLOOP_JUDGE_UPSTREAM",
    standard: "https://api.openai.com",
    parse: upstreamUrl,
    about: "The API of the judge: any that understands chat completions.",
  },
  judgeKey: {
    env: "UNLOOP_JUDGE_KEY",
    standard: undefined,
    parse: (text) => text || undefined,
    about: "The judge's own key, sent as bearer token; none is sent without it.",
  },
  judgeModel: {
    env: "UNLOOP_JUDGE_MODEL",
    standard: undefined,
    parse: (text) => text || undefined,
    about: "The model that judges how near the goal is, for policies with `judge`. Without it nobody is asked.",
  },
  judgeTimeoutMs: {
    env: "UNLOOP_JUDGE_TIMEOUT_MS",
    standard: "30000",
    parse: wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long the judge may take for one question, in milliseconds. No exchange waits for it.",
  },
};

/** What the command line gave, by the setting's name; only settings with a flag count. */
export type Flags = Readonly<Partial<Record<keyof Settings, string | undefined>>>;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings that an environment and a command line amount to. `policies` are the names of the presets there are.
 * @throws UnloopError `bad_setting`
 */
export function readSettings(env: Environment, flags: Flags, policies: readonly string[]): Settings {
  refuseUnknown(env);
  const read = <K extends keyof Settings>(key: K): Settings[K] => {
    const setting: Setting<Settings[K]> = settingsTable[key];
    const flag = setting.flag === undefined ? undefined : flags[key];
    if (setting.flag !== undefined && flag !== undefined) return setting.parse(flag, setting.flag, policies);
    // An empty variable is an unset one: that is how compose files and CI systems leave something out.
    const text = env[setting.env] || setting.standard;
    return setting.parse(text ?? "", setting.env, policies);
  };
  const settings: Settings = {
    upstream: read("upstream"),
    upstreams: read("upstreams"),
    host: read("host"),
    port: read("port"),
    mode: read("mode"),
    policy: read("policy"),
    secret: read("secret"),
    maxBodyBytes: read("maxBodyBytes"),
    sessionTtlMs: read("sessionTtlMs"),
    maxSessions: read("maxSessions"),
    threadCacheSteps: read("threadCacheSteps"),
    log: read("log"),
    connectTimeoutMs: read("connectTimeoutMs"),
    firstByteTimeoutMs: read("firstByteTimeoutMs"),
    idleTimeoutMs: read("idleTimeoutMs"),
    drainMs: read("drainMs"),
    redisUrl: read("redisUrl"),
    redisPrefix: read("redisPrefix"),
    storeDeadlineMs: read("storeDeadlineMs"),
    allowClientOverrides: read("allowClientOverrides"),
    adminToken: read("adminToken"),
    judgeUpstream: read("judgeUpstream"),
    judgeKey: read("judgeKey"),
    judgeModel: read("judgeModel"),
    judgeTimeoutMs: read("judgeTimeoutMs"),
  };
  if (settings.redisUrl !== undefined && settings.secret === undefined) {
    throw bad(
      "UNLOOP_SECRET must be set when REDIS_URL is: processes that share sessions must agree on their signatures.",
    );
  }
  if (settings.judgeKey !== undefined && settings.judgeModel === undefined)
    throw bad("UNLOOP_JUDGE_MODEL must be set when UNLOOP_JUDGE_KEY is: without a model nobody is asked.");
  return settings;
}

type JudgeSettings = Pick<Settings, "judgeUpstream" | "judgeKey" | "judgeModel" | "judgeTimeoutMs">;

/** The judge that settings name, as the library takes it; undefined where they name none. */
export function judgeIn({ judgeUpstream: upstream, judgeKey: key, judgeModel: model, judgeTimeoutMs }: JudgeSettings) {
  return model === undefined ? undefined : { upstream, key, model, timeoutMs: judgeTimeoutMs };
}

function refuseUnknown(env: Environment): void {
  const known: string[] = Object.values(settingsTable).map((setting) => setting.env);
  // Where the benchmarks find recorded sessions; nothing that the server reads.
  const ignored = "UNLOOP_DATA";
  for (const name of Object.keys(env)) {
    if (!name.startsWith("UNLOOP_") || name === ignored || known.includes(name)) continue;
    throw bad(`${name} is no setting of Unloop; did you mean ${nearestName(name, known)}?`);
  }
}
