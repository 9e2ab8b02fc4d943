// The part of the pool's module that the tests use: its own types are made for the platform's as globals.
declare module "cloudflare:test" {
  import type { DurableObjectState, DurableObjectStub } from "@cloudflare/workers-types";
  import type { ExecutionContext } from "hono";

  export function createExecutionContext(): ExecutionContext;
  export function runInDurableObject<R>(
    stub: DurableObjectStub,
    look: (instance: unknown, state: DurableObjectState) => Promise<R>,
  ): Promise<R>;
  export function runDurableObjectAlarm(stub: DurableObjectStub): Promise<boolean>;
  export function abortAllDurableObjects(): Promise<void>;
}
