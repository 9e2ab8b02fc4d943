import { hostAndPort, secretText, webhookUrl } from "../setting-text.ts";
import type { Setting } from "./setting.ts";

/** What an alert is about: the rung that was carried out, `cut` for an answer that had run away, `observe` for what would have been done. */
export const alertOccasions = ["observe", "nudge", "force-done", "short-circuit", "cut"] as const;
export type AlertOccasion = (typeof alertOccasions)[number];

/** Who may look in, and what is written down. */
export const operatorSettings = {
  adminToken: {
    env: "UNLOOP_ADMIN_TOKEN",
    edge: true,
    standard: undefined,
    parse: secretText,
    about:
      "Bearer token for the admin API and the metrics; at least 16 characters. Without it they are available only on a server that listens on loopback: for reading, and for acts with a token that is printed at the start.",
  },
  admin: {
    env: "UNLOOP_ADMIN",
    standard: undefined,
    parse: (text, name) => (text === "" ? undefined : hostAndPort(text, name)),
    about:
      "With an address such as `127.0.0.1:8788`, all under `/unloop` but the health checks gets a listener of its own there.",
  },
  audit: {
    env: "UNLOOP_AUDIT",
    standard: undefined,
    parse: (text, name) => (/^https?:/.test(text) ? webhookUrl(text, name) : text || undefined),
    about:
      "Where the audit goes, one JSON line for each act, reload and refusal: `stdout`, a file, or a webhook, signed with `UNLOOP_AUDIT_SECRET`. [telemetry.md](telemetry.md#audit) describes the lines.",
  },
  auditSecret: {
    env: "UNLOOP_AUDIT_SECRET",
    standard: undefined,
    parse: secretText,
    about: "Signs the audit that goes to a webhook (`x-unloop-signature`); at least 16 characters.",
  },
  decisions: {
    env: "UNLOOP_DECISIONS",
    standard: undefined,
    parse: (text) => text || undefined,
    about:
      "Where the decision export goes, one JSON line for each guarded exchange: `stdout` or a file. Off by default. `unloop replay` reads it; [replay.md](replay.md#export-decisions) describes the lines.",
  },
} as const satisfies Readonly<Record<string, Setting>>;
