import { env } from "cloudflare:workers";
import type { DurableObjectNamespace, Fetcher } from "@cloudflare/workers-types";
import type {
  DirectoryObject,
  JournalObject,
  ObjectNamespaces,
  ThreadObject,
} from "../../../src/store/durable-object/durable-object.ts";

interface TestBindings extends ObjectNamespaces {
  readonly DEPLOYED: Fetcher;
  readonly REPLICA: Fetcher;
  readonly CONFIGURED: Fetcher;
  readonly MISCONFIGURED: Fetcher;
  readonly DEPLOYED_THREADS: DurableObjectNamespace<ThreadObject>;
  readonly DEPLOYED_JOURNAL: DurableObjectNamespace<JournalObject>;
  readonly DEPLOYED_DIRECTORY: DurableObjectNamespace<DirectoryObject>;
}

const bindings = env as unknown as TestBindings;

export const ownObjects: ObjectNamespaces = bindings;

export const deployedObjects: ObjectNamespaces = {
  THREADS: bindings.DEPLOYED_THREADS,
  JOURNAL: bindings.DEPLOYED_JOURNAL,
  DIRECTORY: bindings.DEPLOYED_DIRECTORY,
};

export function objectsThrough(
  call: (own: () => Promise<unknown>, binding: keyof ObjectNamespaces, method: string, name: string) => unknown,
): ObjectNamespaces {
  const namespace = (binding: keyof ObjectNamespaces) => ({
    getByName(name: string) {
      const stub = ownObjects[binding].getByName(name);
      const get =
        (_: object, method: string) =>
        async (...args: unknown[]) =>
          // biome-ignore lint/suspicious/noExplicitAny: whatever it is called with, the object gets
          call(() => (stub as any)[method](...args), binding, method, name);
      return new Proxy({}, { get });
    },
  });
  const names = ["THREADS", "JOURNAL", "DIRECTORY"] as const;
  return Object.fromEntries(names.map((name) => [name, namespace(name)])) as unknown as ObjectNamespaces;
}

export const {
  DEPLOYED: deployedWorker,
  REPLICA: replicaWorker,
  CONFIGURED: configuredWorker,
  MISCONFIGURED: misconfiguredWorker,
} = bindings;
