import { connect } from "node:net";
import type { Settings } from "../../config/config.ts";
import { UnloopError } from "../../errors.ts";
import { isGuard } from "../guard-health.ts";

/** Whether the variables and the configuration file can be read. @param read throws UnloopError `bad_setting` */
export function settingsAreValid(read: () => Settings): DoctorCheck {
  return {
    name: "settings",
    async run() {
      try {
        const { mode, policy, upstream } = read();
        const to = upstream === undefined ? "each wire format's own API" : upstream.href;
        return [ok(`The settings are valid: mode ${mode}, policy ${policy}, upstream ${to}.`)];
      } catch (error) {
        if (!(error instanceof UnloopError)) throw error;
        return [failed(error.message, "Correct the setting in the message; docs/configuration.md lists all settings.")];
      }
    },
  };
}

/** Whether a guard listens where it is looked for, or could. @param url without a path */
export function port(url: string): DoctorCheck {
  return {
    name: "port",
    async run() {
      const { hostname, port: number } = new URL(url);
      if (await isGuard(url, 2_000)) return [ok(`A guard answers at ${url}.`)];
      if (await isTaken(hostname.replace(/^\[|\]$/g, ""), Number(number || 80)))
        return [
          failed(
            `Another program listens at ${url}, not a guard.`,
            "Choose another port with UNLOOP_PORT, or stop the other program.",
          ),
        ];
      return [
        warning(
          `No guard listens at ${url}.`,
          "Start one with `unloop serve`, or run the agent with `unloop wrap AGENT`.",
        ),
      ];
    },
  };
}

function isTaken(host: string, number: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: number, timeout: 2_000 });
    const end = (taken: boolean) => {
      socket.destroy();
      resolve(taken);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}

/** Whether Redis answers. @param ping rejects where it does not */
export function redis(url: string | undefined, ping: (url: string) => Promise<void>): DoctorCheck {
  return {
    name: "Redis",
    async run() {
      if (url === undefined) return [skipped("No REDIS_URL: sessions are kept in the memory of one process.")];
      try {
        await ping(url);
        return [ok("Redis answers.")];
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return [
          failed(
            `Redis does not answer (${why}).`,
            "Start it, or correct REDIS_URL: host, port, password, rediss:// for TLS.",
          ),
        ];
      }
    },
  };
}

/** What a check has found. `skipped`: there was nothing to look at, and that is no fault. */
export interface Diagnosis {
  readonly status: "ok" | "warning" | "failed" | "skipped";
  /** One sentence on what is the case. */
  readonly says: string;
  /** Advice on how to fix the problem. */
  readonly cure?: string;
}

/** One question to an installation. */
export interface DoctorCheck {
  readonly name: string;
  /** May give several findings, one for each thing that it looks at. */
  run(): Promise<readonly Diagnosis[]>;
}

export const ok = (says: string): Diagnosis => ({ status: "ok", says });
export const skipped = (says: string): Diagnosis => ({ status: "skipped", says });
export const warning = (says: string, cure: string): Diagnosis => ({ status: "warning", says, cure });
export const failed = (says: string, cure: string): Diagnosis => ({ status: "failed", says, cure });
