import { appendFileSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import type { Settings } from "../config/config.ts";
import { UnloopError } from "../errors.ts";
import type { Log } from "../proxy/proxy.ts";
import { whyUnreadable } from "../why-unreadable.ts";
import type { AuditEntry } from "./access.ts";

export type Audit = ReturnType<typeof openAudit>;

/** A refusal that comes again within this time is not written again: an agent with an old key asks without end. */
const REPEATED_MS = 60_000;
/** Refusals of one minute at most; the rest of them is not worth a disk. */
const MAX_REFUSALS = 1_000;

/** What operators do: one JSON line each, beside store, journal and log. @throws UnloopError `bad_setting` where nothing can be written */
export function openAudit({ audit }: Pick<Settings, "audit">, log: Log) {
  const write = lineWriter(audit, log);
  const isNew = firstOfMinute();
  const replica = `${hostname()}/${process.pid}`;
  let revision: string | undefined;
  return {
    record: (entry: AuditEntry) =>
      (entry.act.startsWith("refused") && !isNew(entry)) ||
      write({ at: new Date().toISOString(), ...entry, revision, replica }),
    revise(next: string) {
      revision = next;
    },
  };
}

function firstOfMinute(): (entry: AuditEntry) => boolean {
  const seen = new Set<string>();
  let since = 0;
  return ({ act, actor, reason, address, forwardedFor }) => {
    if (Date.now() - since >= REPEATED_MS) {
      seen.clear();
      since = Date.now();
    }
    const key = JSON.stringify([act, actor, reason, address, forwardedFor]);
    if (seen.has(key) || seen.size >= MAX_REFUSALS) return false;
    return seen.add(key).size > 0;
  };
}

function lineWriter(audit: string | undefined, log: Log): (entry: object) => boolean {
  if (audit === undefined) return () => true;
  // Written at once, and opened anew, so that neither a killed process nor a rotated file loses a line.
  const append = (line: string) =>
    audit === "stdout" ? void writeSync(1, line) : appendFileSync(audit, line, { mode: 0o600 });
  try {
    append("");
  } catch (error) {
    const why = whyUnreadable(error) ?? String(error);
    throw new UnloopError("bad_setting", `The audit cannot be written: ${why}. Correct UNLOOP_AUDIT.`);
  }
  return (entry) => {
    try {
      append(`${JSON.stringify(entry)}\n`);
      return true;
    } catch (error) {
      log.error({ why: whyUnreadable(error) ?? String(error) }, "audit-failed");
      return false;
    }
  };
}
