import { type Mode, memoryStores, unloop } from "../../src/index.ts";

export { CountersObject, DirectivesObject, DirectoryObject, JournalObject, ThreadObject } from "../../src/worker.ts";

/** The guard without its objects: what is left is the Worker's own work. */
let app: ReturnType<typeof unloop> | undefined;

export default {
  fetch(request: Request, env: { readonly UNLOOP_UPSTREAM: string; readonly UNLOOP_MODE?: Mode }) {
    app ??= unloop({ upstream: env.UNLOOP_UPSTREAM, mode: env.UNLOOP_MODE ?? "enforce", stores: memoryStores() });
    return app.fetch(request);
  },
};
