import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileStore } from "../../examples/store/file-store.ts";
import type { ThreadKey } from "../../src/store/store.ts";
import { storeContract } from "../contracts/stores.ts";
import { looping } from "../support/agents/scripts.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";
import { printedBy, startExample } from "./example.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "unloop-files-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

storeContract("the example of a store in files", async () => {
  let time = 1_000;
  return {
    store: fileStore(folder, () => time),
    async advance(ms) {
      time += ms;
    },
  };
});

describe("the example of a store in files", () => {
  const key = (name: string) => name as ThreadKey;

  it("finds after a restart what was there before", async () => {
    await fileStore(folder).write(key("a.b"), "{}", 0, 60_000);
    expect(await fileStore(folder).read(key("a.b"))).toEqual({ json: "{}", version: 1 });
  });

  it("serves an app, and has no text of a conversation in its files", async () => {
    const upstream = await scriptedUpstream(looping("force-done"));
    const sessions = join(folder, "sessions");
    const app = startExample("store/app.ts", { UPSTREAM: upstream.url, PORT: "0", SESSIONS: sessions });
    try {
      const [line] = await once(app.stdout ?? app, "data");
      const printed = await printedBy("openai/agent.ts", { OPENAI_BASE_URL: String(line).trim() });
      expect(printed).toContain("step 3: nudge");
      const kept = readdirSync(sessions).map((file) => readFileSync(join(sessions, file), "utf8"));
      expect(kept.length).toBeGreaterThan(0);
      expect(kept.filter((text) => text.includes("Paris"))).toEqual([]);
    } finally {
      app.kill();
      await once(app, "exit");
      await upstream.close();
    }
  });
});
