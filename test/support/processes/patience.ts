import { vi } from "vitest";

/* Waiting for something has a generous end: what a slow machine delays is no failure, and what never comes is one all the same. */

const PATIENCE_MS = 30_000;
const { waitFor } = vi;

/* Files that share a worker share `vi`, too, and each runs this anew. */
if (waitFor.name !== "patientWaitFor")
  vi.waitFor = function patientWaitFor(callback, options) {
    return waitFor(callback, typeof options === "number" ? options : { timeout: PATIENCE_MS, ...options });
  };
