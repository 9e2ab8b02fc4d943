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
  opine(thread: ThreadKey, opinion: Opinion): void;
  opinionOf(thread: ThreadKey): Opinion | undefined;
  /** A judge is asked about a thread's newest steps. @param at index of the last of them */
  askedAbout(thread: ThreadKey, at: number): void;
  /** Undefined where none was asked, as far as is remembered. */
  askedAt(thread: ThreadKey): number | undefined;
  /** What a judge has said lives here alone. */
  remember(texts: readonly (readonly [signature: string, text: string])[]): void;
  remembered(signature: string): string | undefined;
}

/** The newest of a map are kept. */
function keep<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= MAX_TEXTS) break;
    map.delete(oldest);
  }
}

/** Questions under way at a time, by this process. */
const MAX_CONCURRENT = 8;
/** Texts that are remembered; the oldest make room. A few hundred characters each. */
const MAX_TEXTS = 5_000;

export function judgeState(endpoint: JudgeEndpoint | undefined, ask: AskJudge): JudgeState {
  const texts = new Map<string, string>();
  const opinions = new Map<ThreadKey, Opinion>();
  const asked = new Map<ThreadKey, number>();
  let structured = true;
  return {
    endpoint,
    ask,
    queue: judgeQueue(MAX_CONCURRENT),
    isStructured: () => structured,
    refusedSchema() {
      structured = false;
    },
    opine: (thread, opinion) => keep(opinions, thread, opinion),
    opinionOf: (thread) => opinions.get(thread),
    askedAbout: (thread, at) => keep(asked, thread, at),
    askedAt: (thread) => asked.get(thread),
    remember(said) {
      for (const [signature, text] of said) keep(texts, signature, text);
    },
    remembered: (signature) => texts.get(signature),
  };
}
