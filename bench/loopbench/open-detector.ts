import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { commandDetector } from "./command-detector.ts";
import type { AnswerLimits, Detector } from "./detector.ts";
import { httpDetector } from "./http-detector.ts";

/** Makes a detector from its address: a URL, the file of a module, or else a command. */
export function openDetector(address: string, limits: AnswerLimits): Detector {
  if (/^https?:\/\//i.test(address)) return httpDetector(address, limits);
  if (/\.[cm]?[jt]s$/.test(address) && existsSync(address)) return moduleDetector(address, limits);
  return commandDetector(address, limits);
}

/** In a process of its own: what hangs or ends there can be told and bounded. */
function moduleDetector(file: string, limits: AnswerLimits): Detector {
  const host = fileURLToPath(new URL("module-host.ts", import.meta.url));
  return commandDetector([process.execPath, "--import", import.meta.resolve("tsx"), host, resolve(file)], limits);
}
