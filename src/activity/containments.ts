import { amount, anyText, object, readRecord } from "../shapes/shapes.ts";
import type { SessionKey, Stores } from "../store/store.ts";

export interface Containment {
  readonly actor: string;
  readonly reason: string;
  /** Unix time, milliseconds, like `until`. */
  readonly at: number;
  readonly until: number;
}

export type Containments = ReturnType<typeof containments>;

export interface ContainmentsOptions {
  readonly stores: Pick<Stores, "directives" | "directivesPollMs">;
  readonly onReset: (key: SessionKey) => void;
}

const CONTAIN = "contain:";
const RESET = "reset:";

const containDirective = (key: SessionKey): string => `${CONTAIN}${key}`;
export const resetDirective = (key: SessionKey): string => `${RESET}${key}`;

/** How often an exchange that lasts looks for an order, where a timer of the process reads them. */
const LOOK_MS = 250;

/** Each exchange that lasts looks for itself: on Workers none may end another. */
export function containments({ stores: { directives, directivesPollMs }, onReset }: ContainmentsOptions) {
  let all: ReadonlyMap<SessionKey, Containment> = new Map();
  let resets: ReadonlySet<string> = new Set();
  let revision: string | undefined;

  function take(texts: ReadonlyMap<string, string>): void {
    all = new Map(
      [...texts].flatMap(([name, text]) => {
        const order = name.startsWith(CONTAIN) ? readRecord(orderShape, text) : undefined;
        const words = readRecord(wordsShape, text) ?? { actor: "unknown", reason: "" };
        return order === undefined ? [] : [[sessionIn(name, CONTAIN), { ...order, ...words }]];
      }),
    );
    const keys = [...texts].flatMap(([name, text]) => (name.startsWith(RESET) ? [`${name} ${text}`] : []));
    for (const one of keys) if (!resets.has(one)) onReset(sessionIn(one.split(" ")[0] ?? "", RESET));
    resets = new Set(keys);
  }

  async function refresh(): Promise<void> {
    const changes = await directives.read(revision);
    if (changes === undefined) return;
    revision = changes.revision;
    take(changes.texts);
  }

  /** Calls `end` once if a session is contained from now on. @returns what is to be called when the exchange is over */
  function watch(key: SessionKey, end: (containment: Containment) => void): () => void {
    const timer = setInterval(async () => {
      if (directivesPollMs !== undefined) await refresh().catch(() => undefined);
      const containment = all.get(key);
      if (containment === undefined) return;
      clearInterval(timer);
      end(containment);
    }, directivesPollMs ?? LOOK_MS);
    return () => clearInterval(timer);
  }

  return {
    watch,
    refresh,
    all: () => all,
    /** The first of these sessions' that stands, for an exchange whose thread has been read. */
    of: (...keys: readonly (SessionKey | undefined)[]): Containment | undefined =>
      keys.flatMap((key) => (key && all.get(key)) ?? [])[0],
    async put(key: SessionKey, containment: Containment): Promise<void> {
      await directives.put(containDirective(key), JSON.stringify(containment), containment.until - containment.at);
      await refresh();
    },
    async lift(key: SessionKey): Promise<void> {
      await directives.remove(containDirective(key));
      await refresh();
    },
  };
}

/** What makes it an order: one whose words are damaged still ends its session. */
const orderShape = object({ at: amount, until: amount });
const wordsShape = object({ actor: anyText, reason: anyText });

const sessionIn = (name: string, prefix: string): SessionKey => name.slice(prefix.length) as SessionKey;
