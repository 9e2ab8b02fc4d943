import { defineConfig } from "vitest/config";

/** Agents themselves, from npm: minutes and hundreds of megabytes, so no part of `npm test`. */
export default defineConfig({
  test: {
    include: ["test/agents/**/*.test.ts"],
    globalSetup: ["test/support/processes/built-cli.ts"],
    testTimeout: 120_000,
    fileParallelism: false,
    // An agent that ends may hang up on its sub-agent's last request, or not: as in the other suites, one more try in CI.
    retry: process.env.CI === undefined ? 0 : 1,
  },
});
