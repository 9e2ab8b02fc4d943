import { configurationOf } from "../../../src/cli/serve.ts";
import { loadSettings } from "../../../src/config-file/config-file.ts";
import { serve } from "../../../src/node.ts";

export interface Guard {
  readonly url: string;
  readonly adminUrl: string;
  readonly adminToken: string | undefined;
  close(): Promise<void>;
}

export async function startGuard(settings: {
  readonly upstream: string;
  readonly env?: Readonly<Record<string, string>>;
}): Promise<Guard> {
  const quick = { UNLOOP_PORT: "0", UNLOOP_LOG: "silent" };
  const env = { UNLOOP_UPSTREAM: settings.upstream, ...quick, ...settings.env };
  const sources = { env, flags: {} };
  const loaded = loadSettings(sources);
  const { drain, ...serving } = await serve(loaded.settings, undefined, configurationOf(loaded, sources));
  return { ...serving, close: () => drain(0) };
}
