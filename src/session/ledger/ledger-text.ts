import { type Fingerprint, fingerprintPacking } from "../../engine/engine.ts";
import type { RecordForm } from "../change-record.ts";
import type { Ledger } from "./ledger.ts";
import { readEncoded, encodedFields, encodedStep } from "./encoded-ledger.ts";

/** A thread's fingerprints are written again with each of its turns, and all but the newest are the same. */
const written = new WeakMap<Fingerprint, string>();

/** A ledger as JSON; what `readLedger` reads. */
export function ledgerText(ledger: Ledger): string {
  const { window, pending, relayed } = ledger;
  const fields = JSON.stringify(encodedFields(ledger)).slice(0, -1);
  const steps = `,"w":[${window.map(textOf).join(",")}]`;
  const last = pending === undefined ? "" : `,"x":${withPrint("f", pending.fingerprint, encodedStep(pending))}`;
  if (relayed === undefined) return `${fields}${steps}${last}}`;
  const { fingerprint, ...answer } = relayed;
  return `${fields}${steps}${last},"y":${withPrint("fingerprint", fingerprint, answer)}}`;
}

/** Undefined for anything that is not a ledger of this version, such as a record cut short: the history tells the rest. */
export function readLedger(json: string): Ledger | undefined {
  const saved = readEncoded(json);
  if (saved === undefined) return undefined;
  const { window, pending, relayed, ...fields } = saved;
  const { unpack } = fingerprintPacking;
  return {
    ...fields,
    window: window.map(unpack),
    ...(relayed && { relayed: { ...relayed, fingerprint: unpack(relayed.fingerprint) } }),
    ...(pending && { pending: { ...pending, fingerprint: unpack(pending.fingerprint) } }),
  };
}

export const ledgerForm: RecordForm<Ledger> = { read: readLedger, text: ledgerText };

function withPrint(name: string, fingerprint: Fingerprint, fields: object): string {
  const more = JSON.stringify(fields).slice(1);
  return `{"${name}":${textOf(fingerprint)}${more === "}" ? more : `,${more}`}`;
}

function textOf(fingerprint: Fingerprint): string {
  const cached = written.get(fingerprint);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(fingerprintPacking.pack(fingerprint));
  written.set(fingerprint, text);
  return text;
}
