import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fileStore } from "../../examples/store/file-store.ts";
import type { ThreadKey } from "../../src/store/store.ts";
import { storeContract } from "../contracts/stores.ts";
import { looping } from "../support/agents/scripts.ts";
import { printedBy, urlOfApp } from "./example.ts";
import { newFolder, upstreamOf } from "../support/servers/of-test.ts";

storeContract("the example of a store in files", async () => {
  let time = 1_000;
  const folder = newFolder();
  return {
    store: fileStore(folder, () => time),
    async advance(ms) {
      time += ms;
    },
  };
});

it("the example of a store in files finds after a restart what was there before", async () => {
  const folder = newFolder();
  const key = "a.b" as ThreadKey;
  await fileStore(folder).write(key, "{}", 0, 60_000);
  expect(await fileStore(folder).read(key)).toEqual({ json: "{}", version: 1 });
});

it("the example of a store in files serves an app, and has no text of a conversation in its files", async () => {
  const upstream = await upstreamOf(looping("force-done"));
  const sessions = join(newFolder(), "sessions");
  const OPENAI_BASE_URL = await urlOfApp("store/app.ts", { UPSTREAM: upstream.url, SESSIONS: sessions });
  expect(await printedBy("openai/agent.ts", { OPENAI_BASE_URL })).toContain("step 3: nudge");
  const kept = readdirSync(sessions).map((file) => readFileSync(join(sessions, file), "utf8"));
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.filter((text) => text.includes("Paris"))).toEqual([]);
});
