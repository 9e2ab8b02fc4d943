import { type AlertOccasion, httpUrl, SHORTEST_SECRET } from "../config/config.ts";
import type { Path } from "../shapes/shapes.ts";
import type { ConfigFileText } from "./schema.ts";

/** A webhook, and what it wants to be told of; another filter that is undefined lets everything through. */
export interface ConfiguredAlert {
  readonly name: string;
  readonly url: URL;
  readonly secret: string | undefined;
  readonly on: readonly AlertOccasion[];
  readonly policies: readonly string[] | undefined;
  readonly rules: readonly string[] | undefined;
  readonly tenants: readonly string[] | undefined;
  readonly detectors: readonly string[] | undefined;
}

/** Where a secret stands that the file only names. */
export interface SecretPlace {
  readonly env?: string | undefined;
  readonly file?: string | undefined;
}

interface Reading {
  /** Empty for one that is not there, which is told then. */
  readonly secret: (place: SecretPlace, path: Path) => string;
  readonly report: (path: Path, problem: string) => void;
}

/** Stands for what is no URL, until that is told. */
export const NOWHERE = new URL("http://invalid");

/** The file's alerts with their secrets in place. What stands elsewhere is never repeated in a sentence. */
export function configuredAlerts(
  alerts: NonNullable<ConfigFileText["alerts"]>,
  reading: Reading,
): readonly ConfiguredAlert[] {
  return alerts.map(({ name, url, secret, on, policies, rules, tenants, detectors }, i) => ({
    name,
    url: addressIn(url, ["alerts", i, "url"], reading),
    secret: secret && signingKey(secret, ["alerts", i, "secret"], reading),
    on: on ?? ["force-done", "short-circuit", "cut"],
    policies,
    rules,
    tenants,
    detectors,
  }));
}

function addressIn(address: string | SecretPlace, path: Path, { secret, report }: Reading): URL {
  const isWritten = typeof address === "string";
  const text = isWritten ? address : secret(address, path);
  const url = httpUrl(text);
  if (url !== undefined && url.username === "" && url.password === "") return url;
  if (isWritten || text !== "") report(path, "must be a whole http or https URL without user name and password.");
  return NOWHERE;
}

function signingKey(place: SecretPlace, path: Path, { secret, report }: Reading): string {
  const key = secret(place, path);
  if (key !== "" && key.length < SHORTEST_SECRET)
    report(path, `must have at least ${SHORTEST_SECRET} characters, not ${key.length}.`);
  return key;
}
