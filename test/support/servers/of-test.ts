import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Wire } from "../wires/wire.ts";
import { closing, listening } from "./http.ts";
import { type Script, scriptedUpstream } from "./upstream.ts";

/* Servers and folders that end with the test that begins them. */

export async function serverOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => closing(server));
  return listening(server);
}

export async function upstreamOf(script: Script, wire?: Wire) {
  const upstream = await scriptedUpstream(script, wire);
  onTestFinished(() => upstream.close());
  return upstream;
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "unloop-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
