import { describe, expect, it } from "vitest";
import { identify } from "../../../src/session/session.ts";
import { sign } from "../../support/builders/detection.ts";
import { evidence, type Said } from "../../support/builders/evidence.ts";
import { conversation, heard, said } from "../../support/builders/steps.ts";

const about = conversation([heard("Hello."), said("Hi.")]);
const named = { "x-unloop-session": "run-7" };
const tenantOf = ({ headers, ...more }: Said, tenantHeader?: string) => {
  const told = { ...evidence({ ...more, headers: { ...named, ...headers } }), tenantHeader };
  const { tenant, key } = identify(told, about, sign);
  return `${tenant} ${key}`;
};

const inHeader = (name: string) => ({ where: name, with: (key: string): Said => ({ headers: { [name]: key } }) });
const inQuery = (name: string) => ({ where: `?${name}=`, with: (key: string): Said => ({ query: { [name]: key } }) });

describe("two callers of one session id", () => {
  it.each([
    ..."authorization proxy-authorization x-api-key api-key x-goog-api-key ocp-apim-subscription-key x-auth-token"
      .concat(" openai-project openai-organization x-forwarded-user x-litellm-api-key cookie")
      .split(" ")
      .map(inHeader),
    ..."key api-key api_key access_token subscription-key".split(" ").map(inQuery),
  ])("are two tenants by $where", ({ with: credential }) => {
    expect(tenantOf(credential("a"))).not.toBe(tenantOf(credential("b")));
    expect(tenantOf(credential("a"))).toBe(tenantOf(credential("a")));
  });

  it("are two tenants by the header that the operator names, whatever else they share", () => {
    const team = (name: string) => ({ headers: { authorization: "Bearer shared", "x-team-id": name } });
    expect(tenantOf(team("a"), "x-team-id")).not.toBe(tenantOf(team("b"), "x-team-id"));
    expect(tenantOf(team("a"))).toBe(tenantOf(team("b")));
  });

  it("stay one where a load balancer or the API sets a cookie in mid-run", () => {
    const key = { authorization: "Bearer a" };
    const before = tenantOf({ headers: key });
    expect(tenantOf({ headers: { ...key, cookie: "session=1" } })).toBe(before);
    expect(tenantOf({ headers: { cookie: "user=ann; __cf_bm=1" } })).toBe(
      tenantOf({ headers: { cookie: "__cf_bm=2; user=ann" } }),
    );
  });
});
