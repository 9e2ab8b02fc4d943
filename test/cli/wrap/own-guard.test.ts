import { expect, it } from "vitest";
import { prefixesFor, throughGuard } from "../../../src/cli/wrap/own-guard.ts";

it("gives each origin a prefix of its own, and keeps the rest of a base URL", () => {
  const urls = [
    "https://a:8443/v1",
    "https://a-8443/v1/",
    "http://a:8443",
    "https://u:p%40@b.example/v1?api-version=1",
    "https://a:8443/v2",
  ];
  const prefixes = prefixesFor(urls);
  expect(urls.map((url) => throughGuard("http://127.0.0.1:9", prefixes, url))).toEqual([
    "http://127.0.0.1:9/to/a-8443/v1",
    "http://127.0.0.1:9/to/a-8443-2/v1",
    "http://127.0.0.1:9/to/http-a-8443",
    "http://u:p%40@127.0.0.1:9/to/b.example/v1?api-version=1",
    "http://127.0.0.1:9/to/a-8443/v2",
  ]);
});
