import { keepNewest } from "../../activity/activity.ts";
import type { Opinion } from "../../policy/policy.ts";
import type { ThreadKey } from "../../store/store.ts";
import type { Observed } from "../outcome.ts";
import { judgeQueue, type JudgeQueue } from "./judge-queue.ts";

/** Where a judge is asked: any endpoint that understands chat completions. */
export interface JudgeEndpoint {
  readonly upstream: URL;
  readonly key: string | undefined;
  readonly model: string;
  /** For one question; there is no second try. */
  readonly timeoutMs: number;
}

/** Sends one question to a judge; undefined where it came to no answer. */
export type AskJudge = (question: string, endpoint: JudgeEndpoint) => Promise<Observed | undefined>;

/** The newest of what was put in. */
interface Recent<Key, Value> {
  get(key: Key): Value | undefined;
  put(key: Key, value: Value): void;
}

/** What this process knows of its judge. */
export interface JudgeState {
  /** Undefined where there is no judge. */
  readonly endpoint: JudgeEndpoint | undefined;
  readonly ask: AskJudge;
  /** Queue for questions, fair between threads. */
  readonly queue: JudgeQueue;
  /** Whether the endpoint takes a schema for its answer, as far as is known. */
  isStructured(): boolean;
  refusedSchema(): void;
  /** What a judge has said of a thread's loop; the newest alone. */
  readonly opinions: Recent<ThreadKey, Opinion>;
  /** Index of a thread's newest step that a judge was asked about. */
  readonly askedAt: Recent<ThreadKey, number>;
  /** What a judge has said, by its signature: it lives here alone. */
  readonly texts: Recent<string, string>;
}

/** Questions under way at a time, by this process. */
const MAX_CONCURRENT = 8;
/** Of each kind; a text has a few hundred characters. */
const MAX_REMEMBERED = 5_000;

export function judgeState(endpoint: JudgeEndpoint | undefined, ask: AskJudge): JudgeState {
  let structured = true;
  return {
    endpoint,
    ask,
    queue: judgeQueue(MAX_CONCURRENT),
    isStructured: () => structured,
    refusedSchema() {
      structured = false;
    },
    opinions: recent(),
    askedAt: recent(),
    texts: recent(),
  };
}

function recent<Key, Value>(): Recent<Key, Value> {
  const map = new Map<Key, Value>();
  return { get: (key) => map.get(key), put: (key, value) => keepNewest(map, key, value, MAX_REMEMBERED) };
}
