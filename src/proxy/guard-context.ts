import type { Mode, Ruleset } from "../config/config.ts";
import type { EvaluationServices } from "../evaluation/evaluation.ts";
import type { Policy } from "../policy/policy.ts";
import type { Stores } from "../store/store.ts";
import type { Incoming, Transport } from "../transport/transport.ts";
import type { BodyBudget } from "./http/request-body.ts";
import type { ExchangeObserver } from "./guard.ts";
import type { ClientKey, ClientUse } from "./http/clients.ts";
import type { Routes } from "./http/endpoint.ts";
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

/** It may change while the guard runs. */
export interface Configuration {
  /** Mode and policy are those where no rule chooses. */
  readonly mode: Mode;
  readonly policy: Policy;
  readonly rules: Ruleset;
  readonly routes: Routes;
  /** Where there are any, every request needs one. */
  readonly clients: readonly ClientKey[];
  /** Told of a request that is refused for its client key, with the name of the key if it was one. Never throws. */
  readonly onKeyRefused: (exchange: Incoming, client: string | undefined) => void;
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
  readonly origins: AllowedOrigins;
}
