import { memoizeByRef } from "../../engine/engine.ts";
import type { RequestMetadata } from "./sources.ts";

/** An upstream may be a gateway: its virtual keys tell tenants apart too, and so do an account's organisation and project. */
const HEADERS = [
  "authorization",
  "proxy-authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "x-goog-user-project",
  "ocp-apim-subscription-key",
  "x-auth-token",
  "x-forwarded-access-token",
  "x-amz-security-token",
  "openai-organization",
  "openai-project",
  "x-forwarded-user",
  "x-auth-request-user",
  "x-litellm-api-key",
  "x-portkey-api-key",
  "x-portkey-virtual-key",
  "x-bf-vk",
  "helicone-auth",
  "cf-aig-authorization",
];

const PARAMETERS = ["key", "api-key", "api_key", "apikey", "access_token", "token", "subscription-key"];

/** Cookies that load balancers and bot filters set anew in mid-run: they do not tell clients apart. */
const PASSING = /^(__cf_bm|_cfuvid|cf_clearance|__cflb|AWSALB\w*|ARRAffinity\w*|incap_ses_\w*|visid_incap_\w*|GCLB)$/;

/** Credentials that tell callers apart, as one text. Cookies count only if there is nothing else. */
export const credentialsOf = memoizeByRef((metadata: Omit<RequestMetadata, "field">): string => {
  const { header, query, tenantHeader, tenant } = metadata;
  // The operator's own name for it: its keys may change.
  if (tenant !== undefined) return `named\u0000${tenant}`;
  const named = tenantHeader === undefined ? "" : (header(tenantHeader) ?? "");
  let credentials = "";
  for (const name of HEADERS) credentials += `\u0000${header(name) ?? ""}`;
  for (const name of PARAMETERS) credentials += `\u0000${query(name) ?? ""}`;
  const isNone = credentials.length === HEADERS.length + PARAMETERS.length;
  return `${named}${credentials}\u0000${isNone ? lastingCookies(header("cookie") ?? "") : ""}`;
});

function lastingCookies(text: string): string {
  const cookies = text.split(";").map((one) => one.trim());
  return cookies.filter((one) => !PASSING.test(one.split("=", 1)[0] ?? "")).join(";");
}
