import { UnloopError } from "../errors.ts";

/** Where a Worker's configuration stands if it changes without a deployment: a KV namespace. */
export interface KeptText {
  get(key: string, options: { readonly cacheTtl: number }): Promise<string | null>;
}

const KEY = "config";
/** The least for which the platform answers from its nearest copy. */
const CACHE_S = 30;
/** An isolate looks again behind an answer after the first time, and in front of one after the second: with the copy's age a minute. */
const LOOK_MS = 15_000;
const WAIT_MS = 30_000;
/** No request waits longer for a namespace that does not answer. */
const DEADLINE_MS = 1_000;

export interface KeptOptions<Made> {
  /** What a text amounts to, where `before` is in force. @throws UnloopError for one that is not to be taken */
  readonly make: (text: string, before: Made | undefined) => Made;
  /** Told once of a text that is not taken, or cannot be read: what is in force stays. */
  readonly onRefused: (error: UnloopError) => void;
  /** Lets work go on behind the request. */
  readonly outlive: (work: Promise<unknown>) => void;
  readonly now: () => number;
}

export const isKept = (value: unknown): value is KeptText =>
  typeof value === "object" && value !== null && "get" in value && typeof value.get === "function";

/** What a kept text amounts to, asked at each request: at most a minute behind. @throws UnloopError if there is none in force yet */
export function followed<Made>(kept: KeptText, { make, onRefused, outlive, now }: KeptOptions<Made>) {
  let inForce: { readonly text: string; readonly made: Made } | undefined;
  let lookedAt = 0;
  let knownAt = 0;
  let seen: string | undefined;
  let told: string | undefined;
  const look = async (): Promise<Made> => {
    lookedAt = now();
    seen = undefined;
    seen = await textIn(kept);
    knownAt = now();
    if (inForce?.text !== seen) inForce = { text: seen, made: make(seen, inForce?.made) };
    told = undefined;
    return inForce.made;
  };
  const tell = (error: UnloopError) => {
    const news = `${seen} ${error.message}`;
    if (news !== told) onRefused(error);
    told = news;
  };
  return (): Made | Promise<Made> => {
    if (inForce === undefined) return look();
    const { made } = inForce;
    if (now() - lookedAt < LOOK_MS) return made;
    const isLate = now() - knownAt >= WAIT_MS;
    const looked = look().catch((error: unknown) => {
      tell(error instanceof UnloopError ? error : unavailable(error));
      return made;
    });
    if (isLate) return looked;
    outlive(looked);
    return made;
  };
}

async function textIn(kept: KeptText): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(`no answer within ${DEADLINE_MS} ms`)), DEADLINE_MS);
  });
  try {
    const text = await Promise.race([kept.get(KEY, { cacheTtl: CACHE_S }).catch(failed), late]);
    if (text !== null) return text;
  } finally {
    clearTimeout(timer);
  }
  throw new UnloopError(
    "bad_setting",
    `UNLOOP_CONFIG: the KV namespace has no key "${KEY}". \`npx wrangler kv key put --remote --binding UNLOOP_CONFIG ${KEY} "$(unloop check-config --worker unloop.yaml)"\` puts it there.`,
  );
}

function failed(error: unknown): never {
  throw unavailable(error);
}

function unavailable(why: unknown): UnloopError {
  return new UnloopError("config_unavailable", `The KV namespace UNLOOP_CONFIG cannot be read: ${String(why)}.`);
}
