import { afterEach, vi } from "vitest";
import { durableObjectStores } from "../../../src/store/durable-object/durable-object.ts";
import { storesContract } from "../../contracts/stores.ts";
import { ownObjects } from "../../worker/seams/bindings.ts";

afterEach(() => {
  vi.useRealTimers();
});

storesContract("Durable Objects", async (name, journalCapacity) => ({
  stores: durableObjectStores(ownObjects, { name, journalCapacity }),
  async advance(ms) {
    vi.useFakeTimers({ now: Date.now() + ms, toFake: ["Date"] });
  },
}));
