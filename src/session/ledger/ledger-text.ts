import { type Fingerprint, fingerprintCodec } from "../../engine/engine.ts";
import type { RecordForm } from "../change-record.ts";
import { type Ledger, readLedger } from "./ledger.ts";

/** A thread's fingerprints are written again with each of its turns, and all but the newest are the same. */
const written = new WeakMap<Fingerprint, string>();

/** A ledger as JSON; what `readLedger` reads. */
export function ledgerText({ window, pending, relayed, ...rest }: Ledger): string {
  const steps = window.map(textOf).join(",");
  const last = pending === undefined ? "" : `"pending":${pendingText(pending)},`;
  const answer = relayed === undefined ? "" : `"relayed":${pendingText(relayed)},`;
  return `{"window":[${steps}],${last}${answer}${JSON.stringify(rest).slice(1)}`;
}

export const ledgerForm: RecordForm<Ledger> = { read: readLedger, text: ledgerText };

function pendingText({ fingerprint, ...taken }: Pick<NonNullable<Ledger["pending"]>, "fingerprint">): string {
  const more = JSON.stringify(taken).slice(1);
  return `{"fingerprint":${textOf(fingerprint)}${more === "}" ? more : `,${more}`}`;
}

function textOf(fingerprint: Fingerprint): string {
  const cached = written.get(fingerprint);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(fingerprintCodec.encode(fingerprint));
  written.set(fingerprint, text);
  return text;
}
