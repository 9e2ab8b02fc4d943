import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A file that goes with the test, and can be written anew. */
export function configFile(text: string) {
  const path = join(tmpdir(), `unloop-${randomUUID()}.yaml`);
  writeFileSync(path, text);
  onTestFinished(() => rmSync(path, { force: true }));
  return { path, write: (next: string) => writeFileSync(path, next) };
}
