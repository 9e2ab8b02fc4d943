import { defineConfig } from "vitest/config";

/** Real clients of the APIs. Their packages weigh hundreds of megabytes and are installed at the first run: no part of `npm test`. */
export default defineConfig({
  test: {
    include: ["test/clients/*.test.ts"],
    globalSetup: ["test/clients/install.ts"],
    setupFiles: ["test/support/processes/patience.ts"],
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 120_000,
    isolate: false,
    maxWorkers: "100%",
  },
});
