import { listOf, secretText, webhookUrl } from "../setting-text.ts";
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
      "Opens the admin API and the metrics, sent as bearer token; at least 16 characters. Without it only a server on loopback shows them.",
  },
  adminTokenFile: {
    env: "UNLOOP_ADMIN_TOKEN_FILE",
    standard: undefined,
    parse: (text) => text || undefined,
    about:
      "A file with admin tokens, as secrets are mounted: a token by itself, or lines of role, name and token. Read again when it changes.",
  },
  webhookUrl: {
    env: "UNLOOP_WEBHOOK_URL",
    standard: undefined,
    parse: webhookUrl,
    about:
      "Where a message goes once for each loop; Slack's incoming webhooks understand it. [telemetry.md](telemetry.md) has its form.",
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
    about: "What messages are sent for, separated by commas: `observe`, `nudge`, `force-done`, `short-circuit`, `cut`.",
  },
} as const satisfies Readonly<Record<string, Setting>>;
