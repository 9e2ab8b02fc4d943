import { Miniflare } from "miniflare";
import { bundledWorker, platform } from "../processes/worker-bundle.ts";

/** The Worker in workerd, without wrangler before it. */
export interface Workerd {
  /** Without `/v1`. */
  readonly url: string;
  stop(): Promise<void>;
}

export async function startWorkerd(env: Readonly<Record<string, string>>, entry?: string): Promise<Workerd> {
  const object = (className: string) => ({ className, useSQLite: true });
  const miniflare = new Miniflare({
    cf: false,
    modules: [{ type: "ESModule", path: "worker.js", contents: await bundledWorker(entry) }],
    ...platform,
    durableObjects: {
      THREADS: object("ThreadObject"),
      JOURNAL: object("JournalObject"),
      DIRECTORY: object("DirectoryObject"),
    },
    bindings: { UNLOOP_SECRET: "a secret of the tests", UNLOOP_LOG: "silent", ...env },
    // Past the entry that answers for miniflare itself.
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  });
  await miniflare.ready;
  const { origin } = await miniflare.unsafeGetDirectURL();
  return { url: origin, stop: () => miniflare.dispose() };
}
