import { readSettings } from "../../src/config/config.ts";
import { serve } from "../../src/node.ts";
import { presetNames } from "../../src/policy/policy.ts";

/** The real product on a free loopback port. */
export interface Guard {
  /** Without `/v1`. */
  readonly url: string;
  close(): Promise<void>;
}

/** @param env further settings, by their UNLOOP_* names */
export async function startGuard(settings: {
  readonly upstream: string;
  readonly env?: Readonly<Record<string, string>>;
}): Promise<Guard> {
  const env = { UNLOOP_UPSTREAM: settings.upstream, UNLOOP_PORT: "0", UNLOOP_LOG: "silent", ...settings.env };
  const { url, drain } = await serve(readSettings(env, {}, presetNames));
  return { url, close: () => drain(0) };
}
