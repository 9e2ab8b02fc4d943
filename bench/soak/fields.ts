import { createHash } from "node:crypto";
import { runNumber } from "../load/marks.ts";
import { kindNamed } from "./kinds.ts";
import type { Asking } from "./script.ts";

/** Fields by which agent and model check what the guard between them passes on. */
export const ASKING = "x-soak-asking";
/** The run that an answer belongs to. */
export const RUN = "x-soak-run";
/** Signature of the request's body as it reached the model. */
export const ASKED = "x-soak-asked";
/** Signature of the answer's body as it left the model. */
export const SAID = "x-soak-said";

export const signature = (bytes: string | Uint8Array): string => createHash("sha1").update(bytes).digest("hex");

export const askingText = ({ kind, run, turn }: Asking): string => `${run};${turn};${kind.name}`;

export function askingIn(text: string): Asking {
  const [run = "", turn = "", name = ""] = text.split(";");
  return { run, turn: Number(turn), kind: kindNamed(name) };
}

export const runName = (run: number): string => runNumber(run);
