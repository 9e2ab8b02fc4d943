import type { Mode, Ruleset } from "../config/config.ts";
import type { EvaluationServices, Placement } from "../evaluation/evaluation.ts";
import type { Policy } from "../policy/policy.ts";
import type { Usage } from "../protocols/protocols.ts";
import type { Intervention } from "../session/session.ts";
import type { SessionKey, Stores } from "../store/store.ts";
import type { Transport } from "../transport/transport.ts";
import type { BodyBudget } from "./http/request-body.ts";
import type { ClientKeys, ClientUse } from "./http/clients.ts";
import type { Routes } from "./relay/forward.ts";
import type { AllowedOrigins } from "./relay/send-reply.ts";

/** State of the configuration file; its revision is the digest of what is in force, and what needs a restart is told in sentences. */
export interface ConfigStatus {
  readonly file: string;
  readonly revision: string;
  readonly lastReload: {
    readonly at: string;
    readonly ok: boolean;
    readonly problems: readonly string[];
    readonly needsRestart: readonly string[];
  };
  readonly lastSuccessAt: string;
}

/** Report of a guarded exchange: no text of the conversation, no credential. */
export interface ExchangeReport {
  readonly wire: string;
  /** Undefined where nothing was sent: the guard has answered itself. */
  readonly upstream: URL | undefined;
  /** Undefined where the request names none, or was not read whole. */
  readonly model: string | undefined;
  readonly session: string | undefined;
  /** Its key in the directory, which no other tenant's session has; undefined where it was not named. */
  readonly sessionKey: SessionKey | undefined;
  readonly mode: string;
  readonly policy: string;
  readonly placement: Placement;
  readonly verdict: string;
  readonly intervention: Intervention | undefined;
  /** 0 when no answer came. */
  readonly status: number;
  /** Why the answer broke off, or never began; a stable code. */
  readonly failure: string | undefined;
  readonly responseId: string | undefined;
  readonly responseModel: string | undefined;
  readonly finishReason: string | undefined;
  readonly usage: Omit<Usage, "cacheWriteTokens"> | undefined;
  /** The answer was cut off, or would have been, because it repeated itself. */
  readonly cut: boolean;
  /** The guard's own time before forwarding. Milliseconds. */
  readonly ownMs: number;
  /** From the request's arrival to the answer's first byte; undefined where none came. Milliseconds. */
  readonly firstByteMs: number | undefined;
  /** From the request's arrival to the answer's last byte. Milliseconds. */
  readonly durationMs: number;
  /** The trace that the client is in, as W3C Trace Context has it. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

/** Told of each guarded exchange behind its last byte. What it throws is ignored. */
export type ExchangeObserver = (report: ExchangeReport) => void;

/** It may change while the guard runs. */
export interface Configuration extends ClientKeys {
  /** Mode and policy are those where no rule chooses. */
  readonly mode: Mode;
  readonly policy: Policy;
  readonly rules: Ruleset;
  readonly routes: Routes;
  readonly filePolicies: ReadonlyMap<string, Policy>;
  readonly policyNamed: (name: string) => Policy | undefined;
  /** Clients may ask for another mode or policy, with `x-unloop-mode` and `x-unloop-policy`. */
  readonly allowClientOverrides: boolean;
  /** Undefined without a file. */
  readonly configStatus: ConfigStatus | undefined;
  /** Larger bodies are refused; 0: none is. */
  readonly maxBodyBytes: number;
  readonly readBytes: number;
  readonly observer: ExchangeObserver | undefined;
}

export interface GuardContext {
  readonly services: EvaluationServices;
  /** For operators, with what only this process knows; reading from it makes it known to all. */
  readonly stores: Stores;
  readonly configuration: Configuration;
  readonly transport: Transport;
  readonly bodyBudget: BodyBudget;
  readonly clientUse: ClientUse;
  readonly withOrigin: AllowedOrigins;
}
