import { describe, expect, it } from "vitest";
import { matchAddress } from "../../src/transport/node.ts";
import { healthy } from "../support/agents/scripts.ts";
import { apiRig } from "./api-rig.ts";
import { client, configFile, token, tokenOf } from "./config-file.ts";

/** What oauth2-proxy sends of somebody who has signed in. */
const person = (groups: string) => ({ "x-forwarded-email": "ana@example.com", "x-forwarded-groups": groups });

async function rig(proxy = "127.0.0.0/8") {
  const text = `clients: [${client("bot", "research")}]
admin:
  proxies: [${proxy}]
  tokens:
    - ${token("script", "read")}
    - { name: operators, role: operate, group: agents-operators }
    - { name: research, role: read, tenant: research, group: research }
    - { name: others, role: read, tenant: others, group: others }`;
  const started = await apiRig({ UNLOOP_CONFIG: configFile(text).path }, healthy(1));
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
    const { ask, agent } = await rig();
    await agent("one", { headers: { authorization: "Bearer ul-bot" } }).turn();
    const ana = { actor: "ana@example.com", role: "read", tenant: "research" };
    expect((await ask(person("staff, research"))).body).toMatchObject(ana);
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
    for (const [headers, status] of [
      [person("staff"), 403],
      [{ "x-forwarded-user": "ana" }, 403],
      [{ "x-forwarded-groups": "agents-operators" }, 401],
      [{ ...operator, "sec-fetch-site": "cross-site" }, 403],
      [{ ...operator, origin: "https://evil.example" }, 403],
      [{ ...person("staff"), authorization: "Bearer agents-operators" }, 401],
      [{ ...person("staff"), authorization: `Bearer ${tokenOf("script")}` }, 200],
    ] as const)
      expect((await ask(headers as Readonly<Record<string, string>>)).status, JSON.stringify(headers)).toBe(status);
  });

  it("are nobody where another address than the proxy's says so", async () => {
    const { ask } = await rig("10.0.0.5, 10.1.0.0/16, fd00::/8");
    expect((await ask(person("agents-operators"))).status).toBe(401);
    const matches = matchAddress(["10.0.0.5", "10.1.0.0/16", "fd00::/8"]);
    const among = ["10.0.0.5", "::ffff:10.0.0.5", "10.1.255.1", "fd12::1"];
    expect([...among, "10.0.0.6", "10.2.0.1", "fe80::1", "::1"].filter(matches)).toEqual(among);
  });
});
