import { describe, expect, it } from "vitest";
import type { SessionKey, ThreadKey } from "../../../src/store/store.ts";
import { redisOfTest, storesOfTest } from "./rig.ts";

const key = "s.t" as ThreadKey;

describe("redisStores and who may use a Redis", { timeout: 120_000 }, () => {
  const user = { name: "guard", password: "p@ss word:/?#%ü", prefix: "unloop:" };

  it("speak TLS and log in as a user who may touch their keys and nothing else", async () => {
    const { url, ca } = await redisOfTest({ tls: true, user });
    const { isReady, sessions, counters, journal } = await storesOfTest({ url, ...(ca === undefined ? {} : { ca }) });
    expect(isReady).toBe(true);
    expect(await sessions.write(key, "1", 0, 5_000)).toBe(true);
    expect(await counters.add("s" as SessionKey, { steps: 1 }, 5_000)).toEqual({ steps: 1 });
    await journal.append("entry");
    expect(await journal.page(1)).toMatchObject([{ entry: "entry" }]);
  });

  it("do not trust a certificate that nobody vouches for", async () => {
    const { url } = await redisOfTest({ tls: true });
    const { isReady, sessions } = await storesOfTest({ url }, 500);
    expect(isReady).toBe(false);
    await expect(sessions.read(key)).rejects.toThrow("self-signed certificate");
  });

  it("say that the password is wrong, and do not say what it was", async () => {
    const { port } = await redisOfTest({ user });
    const { isReady, sessions } = await storesOfTest({ url: `redis://guard:hunter2@127.0.0.1:${port}` }, 500);
    expect(isReady).toBe(false);
    const failure = await sessions.read(key).catch((error: unknown) => error);
    expect(String(failure)).toContain("WRONGPASS");
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain("hunter2");
  });
});
