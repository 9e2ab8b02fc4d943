import type { Parse } from "../setting-text.ts";

export interface Setting {
  readonly env: `UNLOOP_${string}` | "REDIS_URL";
  /** The command line's flag of the same meaning; it overrides the environment. */
  readonly flag?: `--${string}`;
  /** Whether Cloudflare Workers support it. */
  readonly edge?: true;
  /** A number that a configuration file may set under `limits`. */
  readonly limit?: true;
  /** The default, as it would be written in the environment; undefined if there is none. */
  readonly standard: string | undefined;
  readonly parse: Parse<unknown>;
  readonly about: string;
}
