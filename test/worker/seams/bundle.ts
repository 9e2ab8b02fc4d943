import type { TestProject } from "vitest/node";
import { bundledWorker } from "../../support/processes/worker-bundle.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly workerBundle: string;
  }
}

export async function setup(project: TestProject): Promise<void> {
  project.provide("workerBundle", await bundledWorker());
}
