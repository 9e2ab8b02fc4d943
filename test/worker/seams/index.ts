import { unloop as unloopAnywhere, type UnloopOptions } from "../../../src/index.ts";
import { durableObjectStores } from "../../../src/store/durable-object/durable-object.ts";
import { deployedObjects } from "./bindings.ts";

// Whatever else a story asks the library for, it gets as it is.
export * from "../../../src/index.ts";

/** Stands where the stories ask for a store: here each is one of Durable Objects, with a journal of its own. */
export function memoryStores() {
  return durableObjectStores(deployedObjects, { name: crypto.randomUUID() });
}

/** A deadline is for other tests: here a busy machine must not make the store look as if it failed. */
export function unloop(options: UnloopOptions) {
  return unloopAnywhere({ stores: memoryStores(), storeDeadlineMs: 5_000, ...options });
}
