import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { keyedHash, randomSecret } from "../../src/text/keyed-hash.ts";

const digest = (text: string) => createHash("sha256").update(text).digest("base64url");

it("signs with 96 bits of the digest of key and text", () => {
  for (const text of ["", "a", "ループ🙂", "x".repeat(100_000)])
    expect(keyedHash("secret")(text)).toBe(digest(digest("secret") + text).slice(0, 16));
});

it("does not take a secret's end for a text's beginning", () => {
  expect(keyedHash("ab")("c")).not.toBe(keyedHash("a")("bc"));
});

it("makes a new secret each time", () => expect(randomSecret()).not.toBe(randomSecret()));
