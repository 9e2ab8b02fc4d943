import { defineConfig } from "vitest/config";

/** The Python package, in an environment that takes minutes to make: no part of `npm test`. */
export default defineConfig({
  test: {
    include: ["test/python/**/*.test.ts"],
    globalSetup: ["test/support/processes/built-cli.ts", "test/python/package/wheel.ts"],
    testTimeout: 60_000,
    fileParallelism: false,
    retry: process.env.CI === undefined ? 0 : 1,
  },
});
