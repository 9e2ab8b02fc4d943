import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/text/keyed-hash.ts";
import { matchAddress } from "../../src/transport/node.ts";
import { agent } from "../proxy/agent.ts";
import { healthy } from "../support/agents/scripts.ts";
import { apiRig } from "./api-rig.ts";
import { configFile } from "./config-file.ts";

const KEY = `ul-${"c".repeat(40)}`;
const TOKEN = "t".repeat(20);

const admin = (proxy: string) => `clients:
  - { name: bot, tenant: research, sha256: ${sha256Hex(KEY)} }
admin:
  proxies: [${proxy}]
  tokens:
    - { name: script, role: read, sha256: ${sha256Hex(TOKEN)} }
    - { name: operators, role: operate, group: agents-operators }
    - { name: research, role: read, tenant: research, group: research }
    - { name: others, role: read, tenant: others, group: others }`;

/** What oauth2-proxy sends of somebody who has signed in. */
const person = (groups: string) => ({ "x-forwarded-email": "ana@example.com", "x-forwarded-groups": groups });

async function rig(proxy = "127.0.0.0/8") {
  const started = await apiRig({ UNLOOP_CONFIG: configFile(admin(proxy)).path }, healthy(1));
  const ask = async (headers: Readonly<Record<string, string>>, path = "/status", body?: object) => {
    const response = await fetch(`${started.url}/unloop/api${path}`, {
      headers: { ...headers, ...(body && { "content-type": "application/json" }) },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { ...started, ask };
}

describe("people behind an identity proxy", () => {
  it("have the role and the tenant of their group, the first in the file's order, and stand by name in the journal", async () => {
    const { ask, ...started } = await rig();
    await agent({ ...started, headers: { authorization: `Bearer ${KEY}`, "x-unloop-session": "one" } }).turn();
    expect((await ask(person("staff, research"))).body).toMatchObject({
      actor: "ana@example.com",
      role: "read",
      tenant: "research",
    });
    expect((await ask(person("research,agents-operators"))).body).toMatchObject({ role: "operate", tenant: null });
    const { sessions } = (await ask(person("research"), "/sessions")).body as { sessions: { id: string }[] };
    expect(sessions).toHaveLength(1);
    expect((await ask(person("others"), "/sessions")).body.sessions).toEqual([]);
    const contain = `/sessions/${sessions[0]?.id}/contain`;
    expect((await ask(person("research"), contain, { reason: "because" })).status).toBe(403);
    const { body } = await ask(person("agents-operators"), contain, { reason: "because" });
    expect(body.containment).toMatchObject({ actor: "ana@example.com" });
  });

  it("are refused without a group of the file, from another site, or with a token that is none", async () => {
    const { ask } = await rig();
    const operator = person("agents-operators");
    const rows: readonly (readonly [headers: Readonly<Record<string, string>>, status: number])[] = [
      [person("staff"), 403],
      [{ "x-forwarded-user": "ana" }, 403],
      [{ "x-forwarded-groups": "agents-operators" }, 401],
      [{ ...operator, "sec-fetch-site": "cross-site" }, 403],
      [{ ...operator, origin: "https://evil.example" }, 403],
      [{ ...person("staff"), authorization: "Bearer agents-operators" }, 401],
      [{ ...person("staff"), authorization: `Bearer ${TOKEN}` }, 200],
    ];
    for (const [headers, status] of rows) expect((await ask(headers)).status, JSON.stringify(headers)).toBe(status);
  });

  it("are nobody where another address than the proxy's says so", async () => {
    const { ask } = await rig("10.0.0.5, 10.1.0.0/16, fd00::/8");
    expect((await ask(person("agents-operators"))).status).toBe(401);
    const matches = matchAddress(["10.0.0.5", "10.1.0.0/16", "fd00::/8"]);
    const among = ["10.0.0.5", "::ffff:10.0.0.5", "10.1.255.1", "fd12::1"];
    const outside = ["10.0.0.6", "10.2.0.1", "fe80::1", "::1"];
    expect([...among, ...outside].map(matches)).toEqual([...among.map(() => true), ...outside.map(() => false)]);
  });
});
