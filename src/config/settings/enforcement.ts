import { oneOf } from "../setting-text.ts";
import type { Setting } from "./setting.ts";

/** Settings of detection and enforcement. */
export const enforcementSettings = {
  mode: {
    env: "UNLOOP_MODE",
    edge: true,
    flag: "--mode",
    standard: "enforce",
    parse: oneOf(["enforce", "observe", "off"]),
    about: "`enforce` intervenes; `observe` only reports what it would do; `off` passes everything through unread.",
  },
  policy: {
    env: "UNLOOP_POLICY",
    edge: true,
    flag: "--policy",
    standard: "default",
    // What the JSON may say is the policy's business, which reads it before the server starts.
    parse: (text, name, policies) => (text.trimStart().startsWith("{") ? text : oneOf(policies)(text, name, policies)),
    about: "What counts as a loop and how to intervene: the name of a preset, or a policy as JSON.",
  },
} as const satisfies Readonly<Record<string, Setting>>;
