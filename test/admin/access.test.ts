import { request } from "node:http";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/admin/api/operation.ts";
import { operations } from "../../src/admin/api/api.ts";
import { healthy } from "../support/agents/scripts.ts";
import { apiClient, apiRig, type OperationId } from "./api-rig.ts";
import { client, configFile, token, tokenOf } from "./config-file.ts";

const text = `clients: [${client("bot", "beta")}]
admin:
  tokens:
    - ${token("metrics", "metrics")}
    - ${token("read", "read")}
    - ${token("operate", "operate")}
    - ${token("alpha", "operate", ", tenant: alpha")}`;
const hello = { request: { messages: [{ role: "user", content: "Hello." }] }, session: "a-run" };
const because = { body: { reason: "because" } };

describe("who may do what", () => {
  /** In the order of a row: an agent's own key opens nothing here, and the last is of another tenant than the session. */
  const given = [undefined, "w".repeat(20), "ul-bot", ...["metrics", "read", "operate", "alpha"].map(tokenOf)];
  const row = (read: number, operate: number, alpha: number) => [401, 401, 401, 403, read, operate, alpha];
  const [reading, ofOneSession, acting] = [row(200, 200, 200), row(200, 200, 404), row(403, 200, 404)];
  /** An operation that is not in it is a mistake of the types. */
  const expected: Readonly<Record<OperationId, readonly number[]>> = {
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
    decide: { request: hello.request },
  };

  it("is the same for every route: nothing without a token, a scrape with metrics, reading with read, acting with operate, and one tenant's with its own", {
    timeout: 30_000,
  }, async () => {
    const rig = await apiRig({ UNLOOP_CONFIG: configFile(text).path }, healthy(1));
    await rig.agent("one", { headers: { authorization: "Bearer ul-bot" } }).turn();
    const { id } = (await apiClient(rig.url, tokenOf("read"))("listSessions")).body.sessions[0];
    const statuses = (method: string, path: string, body?: object) =>
      Promise.all(
        given.map(async (bearer) => {
          const leaving = new AbortController();
          const { status } = await fetch(`${rig.url}/unloop${path}`, {
            method,
            headers: {
              ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
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
      const body = operation.method === "post" ? (bodies[name] ?? because.body) : undefined;
      table[name] = await statuses(operation.method.toUpperCase(), `/api${path}`, body);
    }
    expect(table).toEqual(expected);
    for (const path of ["/healthz", "/readyz", "", "/assets/page.css", "/api/openapi.json"])
      expect(await statuses("GET", path)).toEqual(given.map(() => 200));
    expect(await statuses("GET", "/metrics")).toEqual([401, 401, 401, 200, 200, 200, 200]);
    expect((await apiClient(rig.url, tokenOf("alpha"))("listSessions")).body.sessions).toEqual([]);
    for (const path of ["/api/status", "/api/nothing", "/healthz", "/metrics"])
      expect((await fetch(`${rig.url}/unloop${path}`)).headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("takes operate to decide with a session, and is kept within the token's tenant", async () => {
    const { url } = await apiRig({ UNLOOP_CONFIG: configFile(text).path }, healthy(1));
    const ask = async (name: string, more = {}) =>
      (await apiClient(url, tokenOf(name))("decide", { body: { ...hello, ...more } })).status;
    expect([await ask("read"), await ask("alpha", { tenant: "beta" })]).toEqual([403, 403]);
    expect([await ask("alpha"), await ask("operate", { tenant: "beta" })]).toEqual([200, 200]);
    const { body } = await apiClient(url, tokenOf("alpha"))("listSessions");
    expect(body.sessions).toMatchObject([{ tenant: "alpha" }]);
  });

  it("shows a tenant neither rules nor policies of others", async () => {
    const rules = `policies: { mine: {}, theirs: {}, everybodys: {} }
rules:
  - { name: acquisition, when: { tenant: beta }, policy: theirs }
  - { name: own, when: { tenant: alp* , header: { x-a: "1" } }, policy: mine }
  - { name: rest, when: { path: /v1 }, policy: everybodys }
${text}`;
    const { url } = await apiRig({ UNLOOP_CONFIG: configFile(rules).path });
    const ask = apiClient(url, tokenOf("alpha"));
    const { body: status } = await ask("status");
    const named = status.policies.filter(({ source }: { source: string }) => source === "file");
    expect(named.map(({ name }: { name: string }) => name)).toEqual(["mine", "everybodys"]);
    expect(status).not.toHaveProperty("rules");
    expect((await ask("readPolicy", { id: "mine" })).status).toBe(200);
    expect((await ask("readPolicy", { id: "theirs" })).status).toBe(404);
    expect((await ask("dryRun", { body: { policy: "theirs", sessions: "recent" } })).status).toBe(404);
  });

  it("lets everybody on this machine read, and only who has seen the guard start act", async () => {
    const { url, call, sessions, ...rig } = await apiRig({}, healthy(1));
    await rig.agent("run").turn();
    const [{ id }] = await sessions({});
    const anybody = apiClient(url);
    expect((await anybody("status")).body).toMatchObject({ actor: "loopback", role: "read" });
    for (const bearer of [undefined, "w".repeat(20)]) {
      const { status, body } = await apiClient(url, bearer)("containSession", { id, ...because });
      expect([status, body.error.message]).toEqual([401, expect.stringContaining("printed at the start")]);
    }
    expect((await anybody("decide", { body: hello })).status).toBe(200);
    expect((await anybody("decide", { body: { ...hello, tenant: "beta" } })).status).toBe(403);
    expect((await call("containSession", { id, ...because })).status).toBe(200);
  });

  it("has a listener of its own, where one is named, and the agents' has health alone", async () => {
    const rig = await apiRig({ UNLOOP_ADMIN: "127.0.0.1:0" }, healthy(1));
    const statusOf = async (path: string) => (await fetch(`${rig.url}/unloop/${path}`)).status;
    for (const path of ["healthz", "readyz"]) expect(await statusOf(path)).toBe(200);
    for (const path of ["", "metrics", "api/status", "api/sessions"]) expect(await statusOf(path)).toBe(404);
    expect((await rig.call("status")).body).toMatchObject({ role: "operate" });
    await rig.agent("run").turn();
    await rig.sessions({});
  });

  it("is nobody where there is no token, and a page of another site or somebody through a proxy asks", async () => {
    const { url } = await apiRig();
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
