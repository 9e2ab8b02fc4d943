import type { Activity } from "../activity/activity.ts";
import { type Choice, type RolloutArm, type RuleTerms, type Ruleset, rolloutArm } from "../config/config.ts";
import { memoizeByRef, type Sign } from "../engine/engine.ts";
import type { Protocol, Stamp } from "../protocols/protocols.ts";
import type { Policy } from "../policy/policy.ts";
import type { BackedThreadCache } from "../session/session.ts";
import type { SessionKey, Stores } from "../store/store.ts";
import type { Transport } from "../transport/transport.ts";
import type { ClientChoice, GuardTerms } from "./request/request-metadata.ts";
import type { BodyBudget } from "./body-budget.ts";
import type { ExchangeObserver } from "./exchange-report.ts";
import type { JudgeState } from "./judge-state.ts";
import type { Log } from "./log.ts";
import type { Routes } from "./relay/routes.ts";
import type { Meter } from "./meter.ts";
import { type ClientKey, type UpstreamKey, upstreamKeyOf } from "./request/clients.ts";
import type { Containments } from "../activity/activity.ts";
import type { AnsweredStates } from "./request/shown-state.ts";
import type { InFlight } from "./request/in-flight.ts";
import type { StrangerQuota } from "./stranger-quota.ts";
import type { UntoldSessions } from "./settle/untold-sessions.ts";

/** What has become of the configuration file. */
export interface ConfigStatus {
  readonly file: string;
  readonly lastReload: {
    readonly at: string;
    readonly ok: boolean;
    readonly problems: readonly string[];
    /** What of it holds only after a restart, in sentences. */
    readonly needsRestart: readonly string[];
  };
  readonly lastSuccessAt: string;
}

/** Where the operator's configuration puts a request. */
export interface Placement {
  /** Name that the configuration gives the tenant. */
  readonly tenant?: string;
  /** Name of its client key. */
  readonly client?: string;
  /** The rule that chose mode and policy. */
  readonly rule?: string;
  /** Side of a rollout by percentage. */
  readonly arm?: RolloutArm;
}

/** Dependencies and policy of a guard. */
export interface GuardContext extends GuardTerms, ClientChoice {
  readonly routes: Routes;
  readonly stores: Stores;
  /** False while they refuse writes, as a full Redis does: what is read then is not what was last seen. */
  readonly takesWrites: () => boolean;
  readonly transport: Transport;
  readonly sign: Sign;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  /** Unix time, seconds. */
  readonly now: () => number;
  /** For an answer that is given here. */
  readonly stamp: () => Stamp;
  readonly log: Log;
  readonly meter: Meter;
  /** Undefined: nothing is asked of an exchange beyond its log line. Never throws. */
  readonly observer: ExchangeObserver | undefined;
  readonly maxBodyBytes: number;
  /** What becomes of a request to a guarded API that cannot be read. */
  readonly unreadable: "pass" | "refuse";
  readonly bodyBudget: BodyBudget;
  readonly sessionTtlMs: number;
  /** Models that were missed in a price table, and told of. */
  readonly unpriced: Set<string>;
  readonly inFlight: InFlight;
  readonly untold: UntoldSessions;
  readonly strangers: StrangerQuota;
  readonly judgeState: JudgeState;
  readonly answeredStates: AnsweredStates;
  readonly rules: Ruleset;
  /** Of the configuration file, for operators; undefined where there is none. */
  readonly configStatus: ConfigStatus | undefined;
  /** Policies of the configuration file. */
  readonly filePolicies: ReadonlyMap<string, Policy>;
  /** Where there are any, every request needs one. */
  readonly clients: readonly ClientKey[];
  readonly activity: Activity;
  readonly containments: Containments;
  readonly placement: Placement;
  /** Undefined: each request is read whole. */
  readonly threadCache: BackedThreadCache | undefined;
}

/** Dependencies and policy for one exchange. */
export interface ExchangeContext extends GuardContext {
  readonly protocol: Protocol;
  /** Where it goes. */
  readonly upstream: URL;
  /** Key that goes upstream; undefined: the client's own. */
  readonly upstreamKey: UpstreamKey | undefined;
  /** The context where the request's model decides; itself where that does not matter. */
  forModel(model: string): ExchangeContext;
  /** The context for a session's side of a rollout; itself where there is none. */
  forSession(key: SessionKey): ExchangeContext;
}

/** What an exchange's context is made for. */
export interface ContextChoice {
  readonly choice: Choice;
  readonly client: ClientKey | undefined;
  readonly protocol: Protocol;
  readonly upstream: URL;
}

/** Contexts by what the operator's rules choose: made once for each rule, client, protocol and upstream. */
export function exchangeContexts(context: GuardContext): (chosen: ContextChoice) => ExchangeContext {
  const of = memoizeByRef((terms: RuleTerms) =>
    memoizeByRef((client: ClientKey) =>
      memoizeByRef((protocol: Protocol) =>
        memoizeByRef((upstream: URL) => contextFor({ ...context, protocol, upstream }, terms, client)),
      ),
    ),
  );
  return ({ choice, client = noClient, protocol, upstream }) => {
    const made = (terms: RuleTerms) => of(terms)(client)(protocol)(upstream);
    if ("terms" in choice) return made(choice.terms);
    return { ...made(choice.otherwise), forModel: (model) => made(choice.byModel(model)) };
  };
}

const noClient: ClientKey = { name: "", tenant: "", sha256: "" };

function contextFor(
  base: Omit<ExchangeContext, "upstreamKey" | "forModel" | "forSession">,
  { rule, mode, policy, rollout }: RuleTerms,
  client: ClientKey,
): ExchangeContext {
  const owner = client === noClient ? {} : { tenant: client.tenant, client: client.name };
  const placement = { ...owner, ...(rule !== undefined && { rule }) };
  const upstreamKey = client === noClient ? undefined : upstreamKeyOf(client);
  const own = (terms: Pick<ExchangeContext, "mode" | "placement">): ExchangeContext => {
    const made: ExchangeContext = {
      ...base,
      ...terms,
      policy,
      upstreamKey,
      forModel: () => made,
      forSession: () => made,
    };
    return made;
  };
  if (rollout === undefined || mode !== "enforce") return own({ mode, placement });
  const enforced = own({ mode, placement: { ...placement, arm: "enforced" } });
  const heldOut = own({ mode: "observe", placement: { ...placement, arm: "held-out" } });
  const arms = { enforced, "held-out": heldOut };
  const undecided: ExchangeContext = {
    ...own({ mode, placement }),
    forModel: () => undecided,
    forSession: (key) => arms[rolloutArm(key, rule ?? "", rollout)],
  };
  return undecided;
}
