import { describe, expect, it } from "vitest";
import { UnloopError } from "../../../src/errors.ts";
import { joinUpstream } from "../../../src/proxy/relay/forward.ts";

const joined = (base: string, target: string) => {
  const { origin, path } = joinUpstream(new URL(base), target);
  return origin + path;
};

describe("joinUpstream", () => {
  it.each([
    ["https://host/v1", "/v1/chat/completions?x=1", "https://host/v1/chat/completions?x=1"],
    ["https://host/v1/", "/chat/completions", "https://host/v1/chat/completions"],
    ["https://host/v1", "/v1?a", "https://host/v1?a"],
    ["https://host/v1", "/v10/models", "https://host/v1/v10/models"],
    ["https://host", "/a%2Fb%7e?q=%22 +&&=?/../x".replace(" ", "%20"), "https://host/a%2Fb%7e?q=%22%20+&&=?/../x"],
    ["https://host/v1", "//evil.example/x", "https://host/v1//evil.example/x"],
    ["https://host", "/@evil.example/x", "https://host/@evil.example/x"],
  ])("puts %s and %s together", (base, target, url) => {
    expect(joined(base, target)).toBe(url);
  });

  it.each([
    "",
    "v1/models",
    "*",
    "@evil.example",
    "http://evil.example/",
    "/..",
    "/v1/../admin",
    "/v1/./x",
    "/v1/%2e%2E/admin",
    "/v1/.%2e",
    "/v1\\..\\admin",
    "/v1/..%2fadmin",
    "/v1/a b",
    "/v1/.\t./admin",
    "/v1/\r\nx: y",
    "/v1/\u0100",
    "/v1/..;/admin",
    "/v1/%252e%252e/admin",
    "/v1/%25252e%25252e%252fadmin",
    "/v1/models#frag",
  ])("refuses %j", (target) => {
    expect(() => joinUpstream(new URL("https://host/v1"), target)).toThrow(UnloopError);
  });
});
