import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/admin/api/operation.ts";
import { type OperationId, operations } from "../../src/admin/api/operations.ts";
import { sha256Hex } from "../../src/text/keyed-hash.ts";
import { agent } from "../proxy/agent.ts";
import { healthy } from "../support/agents/scripts.ts";
import { apiClient, apiRig } from "./api-rig.ts";
import { configFile } from "./config-file.ts";

describe("who may do what", () => {
  const tokens = { metrics: "m".repeat(20), read: "r".repeat(20), operate: "o".repeat(20), alpha: "a".repeat(20) };
  const clientKey = `ul-${"c".repeat(40)}`;
  const text = `clients:
  - { name: bot, tenant: beta, sha256: ${sha256Hex(clientKey)} }
admin:
  tokens:
    - { name: scraper, role: metrics, sha256: ${sha256Hex(tokens.metrics)} }
    - { name: viewer, role: read, sha256: ${sha256Hex(tokens.read)} }
    - { name: lead, role: operate, sha256: ${sha256Hex(tokens.operate)} }
    - { name: alpha-lead, role: operate, tenant: alpha, sha256: ${sha256Hex(tokens.alpha)} }`;
  /** In the order of a row: an agent's own key opens nothing here, and the last is of another tenant than the session. */
  const given = [undefined, "w".repeat(20), clientKey, tokens.metrics, tokens.read, tokens.operate, tokens.alpha];
  const row = (read: number, operate: number, alpha: number) => [401, 401, 401, 403, read, operate, alpha];
  const forAll = given.map(() => 200);
  const reading = row(200, 200, 200);
  const ofOneSession = row(200, 200, 404);
  const acting = row(403, 200, 404);
  /** An operation that is not in it is a mistake of the types. */
  const expected: Readonly<Record<OperationId, readonly number[]>> = {
    openapi: reading,
    status: reading,
    listSessions: reading,
    overview: reading,
    readJournal: reading,
    readPolicy: reading,
    dryRun: reading,
    decide: reading,
    readSession: ofOneSession,
    containSession: acting,
    releaseSession: acting,
    resetSession: acting,
    rateSession: acting,
  };
  const bodies: Partial<Record<OperationId, object>> = {
    dryRun: { policy: "default", sessions: "recent" },
    rateSession: { right: true },
    decide: { request: { messages: [{ role: "user", content: "Hello." }] } },
  };

  it("is the same for every route: nothing without a token, a scrape with metrics, reading with read, acting with operate, and one tenant's with its own", {
    timeout: 30_000,
  }, async () => {
    const rig = await apiRig({ UNLOOP_CONFIG: configFile(text).path }, healthy(1));
    const own = { authorization: `Bearer ${clientKey}`, "x-unloop-session": "one" };
    await agent({ ...rig, headers: own }).turn();
    const { id } = (await apiClient(rig.url, tokens.read)("listSessions")).body.sessions[0];
    const statuses = (method: string, path: string, body?: object) =>
      Promise.all(
        given.map(async (token) => {
          const leaving = new AbortController();
          const { status } = await fetch(`${rig.url}/unloop${path}`, {
            method,
            headers: {
              ...(token !== undefined && { authorization: `Bearer ${token}` }),
              ...(body !== undefined && { "content-type": "application/json" }),
            },
            ...(body !== undefined && { body: JSON.stringify(body) }),
            signal: leaving.signal,
          });
          leaving.abort();
          return status;
        }),
      );
    const table: Record<string, readonly number[]> = {};
    for (const [name, operation] of Object.entries(operations) as [OperationId, Operation][]) {
      const path = operation.path.replace("{id}", id).replace("{name}", "default");
      const body = operation.method === "post" ? (bodies[name] ?? { reason: "because" }) : undefined;
      table[name] = await statuses(operation.method.toUpperCase(), `/api${path}`, body);
    }
    expect(table).toEqual(expected);
    for (const path of ["/healthz", "/readyz", "", "/assets/page.css"])
      expect(await statuses("GET", path)).toEqual(forAll);
    expect(await statuses("GET", "/metrics")).toEqual([401, 401, 401, 200, 200, 200, 200]);
    expect((await apiClient(rig.url, tokens.alpha)("listSessions")).body.sessions).toEqual([]);
    for (const path of ["/api/status", "/api/nothing", "/healthz", "/metrics"])
      expect((await fetch(`${rig.url}/unloop${path}`)).headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("takes operate to decide with a session, and is kept within the token's tenant", async () => {
    const rig = await apiRig({ UNLOOP_CONFIG: configFile(text).path }, healthy(1));
    const asked = { request: { messages: [{ role: "user", content: "Hello." }] }, session: "a-run" };
    const ask = async (token: string, more = {}) =>
      (await apiClient(rig.url, token)("decide", { body: { ...asked, ...more } })).status;
    expect([await ask(tokens.read), await ask(tokens.alpha, { tenant: "beta" })]).toEqual([403, 403]);
    expect([await ask(tokens.alpha), await ask(tokens.operate, { tenant: "beta" })]).toEqual([200, 200]);
    const { sessions } = (await apiClient(rig.url, tokens.alpha)("listSessions")).body;
    expect(sessions.map(({ tenant }: { tenant: string }) => tenant)).toEqual(["alpha"]);
  });

  it("shows a tenant neither rules nor policies of others", async () => {
    const rules = `policies: { mine: {}, theirs: {}, everybodys: {} }
rules:
  - { name: acquisition, when: { tenant: beta }, policy: theirs }
  - { name: own, when: { tenant: alp* , header: { x-a: "1" } }, policy: mine }
  - { name: rest, when: { path: /v1 }, policy: everybodys }
${text}`;
    const { url } = await apiRig({ UNLOOP_CONFIG: configFile(rules).path });
    const ask = apiClient(url, tokens.alpha);
    const named = (await ask("status")).body.policies.filter(({ source }: { source: string }) => source === "file");
    expect(named.map(({ name }: { name: string }) => name)).toEqual(["mine", "everybodys"]);
    expect((await ask("readPolicy", { id: "mine" })).status).toBe(200);
    expect((await ask("readPolicy", { id: "theirs" })).status).toBe(404);
    expect((await ask("dryRun", { body: { policy: "theirs", sessions: "recent" } })).status).toBe(404);
    expect((await ask("status")).body).not.toHaveProperty("rules");
  });

  it("lets everybody on this machine read, and only who has seen the guard start act", async () => {
    const rig = await apiRig({}, healthy(1));
    const { url, call } = rig;
    await agent(rig).turn();
    const { id } = (await call("listSessions")).body.sessions[0];
    const anybody = apiClient(url);
    expect((await anybody("status")).body).toMatchObject({ actor: "loopback", role: "read" });
    for (const token of [undefined, "w".repeat(20)]) {
      const { status, body } = await apiClient(url, token)("containSession", { id, body: { reason: "because" } });
      expect([status, body.error.message]).toEqual([401, expect.stringContaining("printed at the start")]);
    }
    const body = { request: { messages: [{ role: "user", content: "Hello." }] }, session: "a-run" };
    expect((await anybody("decide", { body })).status).toBe(200);
    expect((await anybody("decide", { body: { ...body, tenant: "beta" } })).status).toBe(403);
    expect((await call("containSession", { id, body: { reason: "because" } })).status).toBe(200);
  });

  it("has a listener of its own, where one is named, and the agents' has health alone", async () => {
    const rig = await apiRig({ UNLOOP_ADMIN: "127.0.0.1:0" }, healthy(1));
    const statuses = (paths: readonly string[]) =>
      Promise.all(paths.map(async (path) => (await fetch(`${rig.url}/unloop/${path}`)).status));
    expect(await statuses(["healthz", "readyz"])).toEqual([200, 200]);
    expect(await statuses(["", "metrics", "api/status", "api/sessions"])).toEqual([404, 404, 404, 404]);
    expect((await rig.call("status")).body).toMatchObject({ role: "operate" });
    await agent(rig).turn();
    expect((await rig.call("listSessions")).body.sessions).toHaveLength(1);
  });

  it("is nobody where there is no token, and a page of another site or somebody through a proxy asks", async () => {
    const { url } = await apiRig();
    const { request } = await import("node:http");
    const statusFor = (headers: Readonly<Record<string, string>>) =>
      new Promise((resolve, reject) =>
        request(`${url}/unloop/api/status`, { headers }, (answer) => resolve(answer.resume().statusCode))
          .on("error", reject)
          .end(),
      );
    const foreign = [
      { host: "evil.example" },
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "x-forwarded-for": "192.0.2.7" },
    ];
    for (const headers of foreign) expect([400, 401]).toContain(await statusFor(headers));
  });
});
