import type { TestProject } from "vitest/node";
import { bundledWorker } from "../../support/processes/worker-bundle.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly workerBundle: string;
  }
}

/** Vitest calls it before the files that run in workerd. */
export async function setup(project: TestProject): Promise<void> {
  project.provide("workerBundle", await bundledWorker());
}
