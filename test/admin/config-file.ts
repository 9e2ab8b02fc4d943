import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { sha256Hex } from "../../src/text/keyed-hash.ts";

export function configFile(text: string) {
  const path = join(tmpdir(), `unloop-${randomUUID()}.yaml`);
  writeFileSync(path, text);
  onTestFinished(() => rmSync(path, { force: true }));
  return { path, write: (next: string) => writeFileSync(path, next) };
}

export const client = (name: string, tenant: string, more = "") =>
  `{ name: ${name}, tenant: ${tenant}, sha256: ${sha256Hex(`ul-${name}`)}${more} }`;

export const tokenOf = (name: string) => `${name}-0123456789abcdef`;
export const token = (name: string, role: string, more = "") =>
  `{ name: ${name}, role: ${role}, sha256: ${sha256Hex(tokenOf(name))}${more} }`;
