import { defineConfig } from "vitest/config";

/** Agents themselves, from npm: minutes and hundreds of megabytes, so no part of `npm test`. */
export default defineConfig({
  test: { include: ["test/agents/**/*.test.ts"], testTimeout: 120_000, fileParallelism: false },
});
