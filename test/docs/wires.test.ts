import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { protocolFor } from "../../src/protocols/protocols.ts";

const page = readFileSync(new URL("../../docs/wires.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| `(GET|POST) (\S+)` \| (\w+) \|/gm)].map(([, method = "", path = "", state]) => ({
  method,
  path,
  state,
}));

describe("docs/wires.md", () => {
  it("has rows of either kind", () => {
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(["guarded", "passes"]));
  });

  it.each(rows)("says of $method $path what is so", ({ method, path, state }) => {
    const protocol = protocolFor(method, path);
    expect(protocol === undefined ? "passes" : "guarded").toBe(state);
  });
});
