import type { ThreadKey } from "../store/store.ts";

/** Where a judge is asked: any endpoint that understands chat completions. */
export interface JudgeEndpoint {
  readonly upstream: URL;
  readonly key: string | undefined;
  readonly model: string;
  /** For one question; there is no second try. */
  readonly timeoutMs: number;
  /** Questions under way at a time, by this process. */
  readonly maxConcurrent: number;
}

/** What this process knows of its judge. */
export interface JudgeState {
  /** Undefined where there is no judge. */
  readonly endpoint: JudgeEndpoint | undefined;
  /** Room for a question about a thread, to be given back; undefined while another one is under way, or too many are. */
  begin(thread: ThreadKey): { over(): void } | undefined;
  /** Whether the endpoint takes a schema for its answer, as far as is known. */
  isStructured(): boolean;
  refusedSchema(): void;
  /** What a judge has said lives here alone. */
  remember(texts: readonly (readonly [signature: string, text: string])[]): void;
  remembered(signature: string): string | undefined;
}

/** Texts that are remembered; the oldest make room. A few hundred characters each. */
const MAX_TEXTS = 5_000;

export function judgeState(endpoint: JudgeEndpoint | undefined): JudgeState {
  const threads = new Set<ThreadKey>();
  const texts = new Map<string, string>();
  let structured = true;
  return {
    endpoint,
    begin(thread) {
      if (threads.has(thread) || threads.size >= (endpoint?.maxConcurrent ?? 0)) return undefined;
      threads.add(thread);
      return { over: () => threads.delete(thread) };
    },
    isStructured: () => structured,
    refusedSchema() {
      structured = false;
    },
    remember(said) {
      for (const [signature, text] of said) {
        texts.delete(signature);
        texts.set(signature, text);
      }
      for (const oldest of texts.keys()) {
        if (texts.size <= MAX_TEXTS) break;
        texts.delete(oldest);
      }
    },
    remembered: (signature) => texts.get(signature),
  };
}
