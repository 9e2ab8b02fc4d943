import { hostAndPort, listOf, secretText, webhookUrl } from "../setting-text.ts";
import type { Setting } from "./setting.ts";

/** What an alert is about: the rung that was carried out, `cut` for an answer that had run away, `observe` for what would have been done. */
export const alertOccasions = ["observe", "nudge", "force-done", "short-circuit", "cut"] as const;
export type AlertOccasion = (typeof alertOccasions)[number];

/** Who may look in, and who is told of loops. */
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
      "Where the audit goes, one JSON line for each act, reload and refusal: `stdout`, a file, or a webhook, signed with `UNLOOP_WEBHOOK_SECRET`. [telemetry.md](telemetry.md#audit) describes the lines.",
  },
  decisions: {
    env: "UNLOOP_DECISIONS",
    standard: undefined,
    parse: (text) => text || undefined,
    about:
      "Where the decision export goes, one JSON line for each guarded exchange: `stdout` or a file. Off by default. `unloop replay` reads it; [replay.md](replay.md#export-decisions) describes the lines.",
  },
  webhookUrl: {
    env: "UNLOOP_WEBHOOK_URL",
    standard: undefined,
    parse: webhookUrl,
    about:
      "Webhook that gets one message per loop; Slack's incoming webhooks accept it. [telemetry.md](telemetry.md) describes the format.",
  },
  webhookSecret: {
    env: "UNLOOP_WEBHOOK_SECRET",
    standard: undefined,
    parse: secretText,
    about: "Signs these messages (`x-unloop-signature`); at least 16 characters.",
  },
  webhookOn: {
    env: "UNLOOP_WEBHOOK_ON",
    standard: "force-done,short-circuit,cut",
    parse: listOf(alertOccasions),
    about:
      "Which events send a message, separated by commas: `observe`, `nudge`, `force-done`, `short-circuit`, `cut`.",
  },
} as const satisfies Readonly<Record<string, Setting>>;
