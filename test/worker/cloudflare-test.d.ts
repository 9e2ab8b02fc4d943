// The part of the pool's module that the tests use: its own types are made for the platform's as globals.
declare module "cloudflare:test" {
  import type { DurableObjectState, DurableObjectStub } from "@cloudflare/workers-types";
  import type { ExecutionContext } from "hono";

  export function createExecutionContext(): ExecutionContext;
  /** Runs `look` inside an object of the tests' own Worker. */
  export function runInDurableObject<R>(
    stub: DurableObjectStub,
    look: (instance: unknown, state: DurableObjectState) => Promise<R>,
  ): Promise<R>;
  /** False if none was set. */
  export function runDurableObjectAlarm(stub: DurableObjectStub): Promise<boolean>;
  /** Evicts them all; what they have stored stays. */
  export function abortAllDurableObjects(): Promise<void>;
}
