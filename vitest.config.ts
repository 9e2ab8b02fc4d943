import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import "./scripts/worker-page.mjs";
import { platform } from "./test/support/processes/worker-bundle.ts";

const source = (name: string) => fileURLToPath(new URL(`src/${name}`, import.meta.url));
const seam = (name: string) => fileURLToPath(new URL(`test/worker/seams/${name}`, import.meta.url));

const inWorkerd = ["test/store/durable-object/*.test.ts", "test/worker/isolate/**/*.test.ts"];

/** What measures CPU or memory. */
export const measuring = [
  "test/patterns.test.ts",
  "test/runaway/properties.test.ts",
  "test/proxy/request/text-slots.test.ts",
  "test/store/memory/memory.test.ts",
];

/**
 * What takes longest: browsers, failing servers, whole deployments, many processes, hostile texts by the hundred. `.ci/full` runs it.
 * Of each interface a faster test of its contract stays.
 */
export const slow = [
  "test/page/browser.test.ts",
  "test/store/redis/{access,cluster,sentinel,troubles}.test.ts",
  "test/deploy/recipes.test.ts",
  "test/docs/platform-team.test.ts",
  "test/bench/**/*.test.ts",
  "test/proxy/crowding.test.ts",
];

/** Stories of the guard that need no socket: they run in workerd, too, on its transport and its stores. */
const storiesInWorkerd = ["modes", "secrets"];

/** A machine that others use, too, may stall for seconds. */
const testTimeout = 120_000;
const patient = "test/support/processes/patience.ts";
const patience = { expect: { poll: { timeout: 30_000 } } };
const bindings = {
  UNLOOP_SECRET: "a secret of the tests",
  UNLOOP_LOG: "silent",
  UNLOOP_ADMIN_TOKEN: "a token of the tests",
};

/** Of an isolate, as a table of `vars`: a rule by header, a client key. */
const configuration = {
  mode: "enforce",
  rules: [{ name: "trial", when: { header: { "x-team": "trial" } }, mode: "observe" }],
  clients: [
    {
      name: "search",
      tenant: "search",
      sha256: createHash("sha256").update("a client key of the tests").digest("hex"),
      upstreamKey: { env: "PROVIDER_KEY" },
    },
  ],
};

const objects = (scriptName?: string) => {
  const object = (className: string) => ({ className, useSQLite: true, ...(scriptName && { scriptName }) });
  return {
    THREADS: object("ThreadObject"),
    JOURNAL: object("JournalObject"),
    DIRECTORY: object("DirectoryObject"),
  };
};

/** Workers beside that of the tests, each in an isolate of its own: the guard as it is deployed, before a model. */
const neighbours = (contents: string) => {
  const worker = (name: string, path: string, text: string) => ({
    name,
    modules: [{ type: "ESModule" as const, path, contents: text }],
    ...platform,
  });
  const guard = (name: string) => ({ ...worker(name, "worker.js", contents), outboundService: "model", bindings });
  return [
    { ...guard("deployed"), durableObjects: objects() },
    { ...guard("replica"), durableObjects: objects("deployed") },
    {
      ...guard("configured"),
      durableObjects: objects("deployed"),
      bindings: { ...bindings, UNLOOP_CONFIG: configuration, PROVIDER_KEY: "sk-provider" },
    },
    { ...guard("misconfigured"), durableObjects: objects("deployed"), bindings: { UNLOOP_PORT: 8080 } },
    worker("model", "model.js", readFileSync(seam("model.js"), "utf8")),
  ];
};

const deployed = Object.fromEntries(
  Object.entries(objects("deployed")).map(([name, object]) => [`DEPLOYED_${name}`, object]),
);

/** The tests that run in Node.js. */
export const node = {
  // The examples import the package by its name, as a user does.
  resolve: { alias: [{ find: /^unloop$/, replacement: source("index.ts") }] },
  test: {
    name: "node",
    include: ["test/**/*.test.ts"],
    exclude: [...inWorkerd, ...measuring, ...slow, "test/agents/**", "test/clients/**", "test/python/**"],
    globalSetup: ["test/support/processes/built-cli.ts"],
    testTimeout,
    ...patience,
    setupFiles: [patient, "test/support/processes/properties.ts"],
    // Modules of the source hold no state: a graph of them for each file would cost a third of all the work.
    isolate: false,
    // Most tests wait for sockets or processes: a core to each worker is not too few.
    maxWorkers: "100%",
    sequence: { groupOrder: 0 },
  },
};

export default defineConfig({
  test: {
    projects: [
      node,
      {
        plugins: [
          cloudflareTest(({ inject }) => ({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              cf: false,
              bindings,
              durableObjects: deployed,
              kvNamespaces: ["KEPT"],
              serviceBindings: {
                DEPLOYED: "deployed",
                REPLICA: "replica",
                CONFIGURED: "configured",
                MISCONFIGURED: "misconfigured",
              },
              workers: neighbours(inject("workerBundle")),
            },
          })),
        ],
        resolve: {
          alias: [
            { find: /^\.\.\/\.\.\/src\/index\.ts$/, replacement: seam("index.ts") },
            { find: /^\.\.\/\.\.\/src\/transport\/node\.ts$/, replacement: seam("node.ts") },
            { find: /^\.\.\/\.\.\/src\/transport\/node-server\.ts$/, replacement: seam("node-server.ts") },
            { find: /^\.\.\/support\/servers\/upstream\.ts$/, replacement: seam("upstream.ts") },
          ],
        },
        test: {
          name: "workerd",
          include: [...inWorkerd, ...storiesInWorkerd.map((name) => `test/proxy/${name}.test.ts`)],
          globalSetup: [seam("bundle.ts")],
          ...patience,
          setupFiles: [patient, seam("setup.ts")],
          // One isolate for all files: each of its own would cost a second.
          isolate: false,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          testTimeout,
        },
      },
    ],
  },
});
