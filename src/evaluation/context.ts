import type { Activity, Containments } from "../activity/activity.ts";
import { type Choice, type Mode, type RolloutArm, rolloutArm, type RuleTerms } from "../config/config.ts";
import type { Sign } from "../text/sign.ts";
import type { Policy } from "../policy/policy.ts";
import type { Protocol, Stamp } from "../protocols/protocols.ts";
import type { KnownPrefixes, RequestMetadata } from "../session/session.ts";
import type { SessionKey, Stores, ThreadKey } from "../store/store.ts";
import { BoundedMap } from "../text/bounded-map.ts";
import type { inBackground } from "./background.ts";
import type { JudgeState } from "../judge/judge.ts";
import type { Log, Meter } from "./meter.ts";

export interface EvaluationServices {
  readonly stores: Stores;
  /** False while they refuse writes, as a full Redis does: what is read then is not what was last seen. */
  readonly takesWrites: () => boolean;
  readonly sign: Sign;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  /** Unix time, seconds. */
  readonly now: () => number;
  readonly stamp: () => Stamp;
  readonly log: Log;
  readonly meter: Meter;
  /** Runs work that may fail without its request: failures are reported, and it resolves to undefined. */
  readonly inBackground: ReturnType<typeof inBackground>;
  readonly activity: Activity;
  readonly containments: Containments;
  readonly prefixes: KnownPrefixes | undefined;
  readonly judgeState: JudgeState;
  readonly memory: ProcessMemory;
  readonly sessionTtlMs: number;
  readonly tenantHeader: string | undefined;
  readonly sessionNames: RequestMetadata["sessionNames"];
  readonly unreadable: "pass" | "refuse";
}

export interface Placement {
  readonly tenant?: string | undefined;
  readonly client?: string | undefined;
  readonly rule?: string | undefined;
  readonly arm?: RolloutArm | undefined;
}

export interface RequestContext extends EvaluationServices {
  readonly mode: Mode;
  readonly policy: Policy;
  readonly protocol: Protocol;
  readonly placement: Placement;
  /** Whether its client may ask this model; undefined: it may ask all. */
  readonly mayAsk: ((model: string) => boolean) | undefined;
  /** The context once it is known what the operator's rules go by: the model, and the session for its side of a rollout. */
  bind(model: string, session?: SessionKey): RequestContext;
}

export interface Client {
  readonly name: string;
  readonly tenant: string;
  readonly mayAsk?: RequestContext["mayAsk"];
}

export interface ContextChoice {
  readonly choice: Choice;
  readonly client: Client | undefined;
  readonly protocol: Protocol;
  /** What takes the place of the operator's terms, whatever model and session choose. */
  readonly override?: {
    readonly mode?: Mode | undefined;
    readonly policy?: Policy | undefined;
    readonly tenant?: string | undefined;
    readonly services?: Partial<EvaluationServices>;
  };
}

export function requestContext(
  services: EvaluationServices,
  { choice, client, protocol, override = {} }: ContextChoice,
): RequestContext {
  const { tenant = client?.tenant } = override;
  const shared = override.services === undefined ? services : { ...services, ...override.services };
  const bound = (terms: RuleTerms, session?: SessionKey): RequestContext => {
    const { rule, mode, policy, rollout } = terms;
    const isTried = rollout !== undefined && mode === "enforce" && session !== undefined;
    const arm = isTried ? rolloutArm(session, rule ?? "", rollout) : undefined;
    const context: RequestContext = Object.assign(Object.create(shared) as EvaluationServices, {
      protocol,
      mayAsk: client?.mayAsk,
      mode: override.mode ?? (arm === "held-out" ? "observe" : mode),
      policy: override.policy ?? policy,
      placement: { tenant, client: client?.name, rule, arm },
      bind(model: string, key?: SessionKey) {
        const chosen = "terms" in choice ? choice.terms : choice.byModel(model);
        return chosen === terms && rollout === undefined ? context : bound(chosen, key);
      },
    } satisfies Omit<RequestContext, keyof EvaluationServices>);
    return context;
  };
  return bound("terms" in choice ? choice.terms : choice.otherwise);
}

/** Names that clients choose, or threads; the oldest make room. */
const MAX_NAMES = 1000;

export type ProcessMemory = ReturnType<typeof processMemory>;

/** Bounded memory of one process, of which no store knows. @param clock milliseconds, monotonic */
export function processMemory(clock: () => number) {
  return {
    inFlight: inFlightThreads(),
    /** Threads that were answered with several calls last, each with its steps then: some clients keep one of the calls. */
    parallelAnswers: new BoundedMap<ThreadKey, number>(MAX_NAMES),
    /** Requests in a row that told no step, by session or client; undefined once one has told a step. */
    stepless: new BoundedMap<string, number | undefined>(MAX_NAMES),
    unverified: unverifiedQuota(clock),
    /** Changes that an API has refused although it took less of them, and when it did. */
    refusedChanges: new BoundedMap<string, number>(MAX_NAMES),
    unpriced: new BoundedMap<string, true>(MAX_NAMES),
  };
}

/** One exchange, until its answer has ended. */
export interface Ticket {
  /** Must be called exactly once. */
  over(): void;
  /** No other exchange of the thread was under way at any time of it: concurrent requests of a thread are samples. */
  wasAlone(): boolean;
}

function inFlightThreads() {
  const threads = new Map<ThreadKey, Set<{ alone: boolean }>>();
  return {
    begin(thread: ThreadKey): Ticket {
      const together = threads.get(thread) ?? new Set();
      const own = { alone: together.size === 0 };
      for (const one of together) one.alone = false;
      threads.set(thread, together.add(own));
      return {
        over() {
          together.delete(own);
          if (together.size === 0) threads.delete(thread);
        },
        wasAlone: () => own.alone,
      };
    },
  };
}

/** Tokens at once; after those one each `REFILL_MS`. */
const BURST = 100;
const REFILL_MS = 10_000;

/** For reports of runs that the guard ends itself and that no upstream has let in: anybody can send such requests, and their entries must not crowd out the rest. */
function unverifiedQuota(clock: () => number) {
  let left = BURST;
  let since = clock();
  return {
    admit(): boolean {
      const gained = Math.floor((clock() - since) / REFILL_MS);
      since += gained * REFILL_MS;
      left = Math.min(BURST, left + gained) - 1;
      if (left >= 0) return true;
      left = 0;
      return false;
    },
  };
}
