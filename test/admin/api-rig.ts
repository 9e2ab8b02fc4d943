import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, onTestFinished, vi } from "vitest";
import type { Operation } from "../../src/admin/api/operation.ts";
import { operations } from "../../src/admin/api/api.ts";
import { agent, type AgentOptions } from "../proxy/guard-rig.ts";
import { looping } from "../support/agents/scripts.ts";
import { startGuard } from "../support/servers/guarded.ts";
import type { Script } from "../support/servers/upstream.ts";
import { upstreamOf } from "../support/servers/of-test.ts";

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const published = readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8");
ajv.addSchema(JSON.parse(published), "api");

export type OperationId = keyof typeof operations;

export function expectPromised(id: OperationId, answer: unknown): void {
  const { method, path }: Operation = operations[id];
  const at = encodeURIComponent(path).replaceAll("%2F", "~1");
  const validate = ajv.getSchema(`api#/paths/${at}/${method}/responses/200/content/application~1json/schema`);
  if (validate === undefined) throw new Error(`There is no schema of ${id}'s answer.`);
  expect(validate(answer) ? [] : validate.errors).toEqual([]);
}

export function apiClient(url: string, token?: string) {
  // biome-ignore lint/suspicious/noExplicitAny: the document's schemas say what it is
  return async <T = any>(
    id: OperationId,
    { id: of = "", query = {}, body }: { id?: string; query?: Record<string, string>; body?: unknown } = {},
  ): Promise<{ readonly status: number; readonly body: T }> => {
    const { method, path }: Operation = operations[id];
    const target = `${url}/unloop/api${path.replace(/\{\w+\}/, encodeURIComponent(of))}?${new URLSearchParams(query)}`;
    const response = await fetch(target, {
      method: method.toUpperCase(),
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const given = await response.json();
    if (response.status === 200) expectPromised(id, given);
    return { status: response.status, body: given as T };
  };
}

export async function apiRig(env: Readonly<Record<string, string>> = {}, script: Script = looping("nothing")) {
  const upstream = await upstreamOf(script);
  const { url, adminUrl, adminToken, close } = await startGuard({ upstream: upstream.url, env });
  onTestFinished(close);
  const call = apiClient(adminUrl, env.UNLOOP_ADMIN_TOKEN ?? adminToken);
  return {
    ...{ url, upstream, call, close },
    agent: (session: string, { headers, ...more }: Partial<AgentOptions> = {}) =>
      agent({ url, upstream, headers: { "x-unloop-session": session, ...headers }, ...more }),
    sessions: (...like: readonly object[]) =>
      vi.waitFor(async () => {
        const { body } = await call("listSessions");
        expect(body.sessions).toMatchObject(like);
        return body.sessions;
      }),
    metrics: async (token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (await fetch(`${adminUrl}/unloop/metrics`, { headers })).text();
    },
  };
}
