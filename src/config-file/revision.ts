import type { Settings } from "../config/config.ts";
import { sha256Hex } from "../text/keyed-hash.ts";
import type { LoadedSettings } from "./load.ts";

export type InForce = Pick<LoadedSettings, "settings" | "configured">;

/** Where one process stands, which replicas that agree need not share. */
const OF_THE_PROCESS: readonly (keyof Settings)[] = ["host", "port", "admin", "audit", "config", "log", "redisUrl"];

/** Of all fields with a text these hold names of the file's own or a choice; any other text may be a secret. */
const SHOWN = /(?:^|\.)(?:mode|policy|role|tenant|expires)$/;

/** Characters of a digest: two configurations of one deployment never share them by chance. */
const LENGTH = 12;

/** Digest of the configuration in force, secrets included: replicas with the same one treat a request alike. */
export function revisionOf(inForce: InForce): string {
  const leaves = [...leavesOf(inForce)].map(([path, value]) => [path, value] as const);
  return sha256Hex(JSON.stringify(leaves.sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, LENGTH);
}

/** What differs, by path; of texts that may be secrets the path alone, as in `clients.ci.sha256`. */
export function changesBetween(before: InForce, after: InForce): readonly string[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => old.get(path) !== now.get(path))
    .map((path) => `${path}: ${shown(path, old.get(path))} -> ${shown(path, now.get(path))}`)
    .sort();
}

function shown(path: string, value: string | undefined): string {
  if (value === undefined) return "none";
  return value.startsWith('"') && !SHOWN.test(path) ? "(text)" : value;
}

function leavesOf({ settings, configured }: InForce): ReadonlyMap<string, string> {
  const own = Object.entries(settings).filter(([name]) => OF_THE_PROCESS.every((one) => one !== name));
  const { text: _, ...inFile } = configured ?? {};
  const file = configured && {
    ...inFile,
    policies: Object.fromEntries(configured.policies),
    rules: configured.rules.texts,
    upstreams: { ...configured.upstreams, ...settings.upstreams },
  };
  const leaves = new Map<string, string>();
  add(leaves, "", { ...Object.fromEntries(own), ...file });
  return leaves;
}

/** Entries of a list go by their name where they have one: one that is put before them moves none. */
function add(leaves: Map<string, string>, path: string, value: unknown): void {
  if (value === undefined || typeof value === "function") return;
  if (typeof value !== "object" || value === null || value instanceof URL) {
    leaves.set(path, JSON.stringify(value));
    return;
  }
  const isList = Array.isArray(value);
  const inner = Object.entries(value).map(([key, one]) => [(isList && one?.name) || key, one] as const);
  for (const [name, one] of inner) add(leaves, path === "" ? name : `${path}.${name}`, one);
  // Of rules the first that matches counts.
  if (path === "rules") leaves.set("rules", JSON.stringify(inner.map(([name]) => name)));
}
