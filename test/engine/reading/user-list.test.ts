import { describe, expect, it, vi } from "vitest";
import { itemsListed, namedIn } from "../../../src/engine/reading/user-list.ts";

const named = (text: string, action: string) => namedIn(action, itemsListed(text));

describe("an item of a user's list is known where a call names it", () => {
  it.each([
    ["Check these for the hole: curl, expat, zlib.", '{"package":"zlib"}'],
    ["Look at:\n- the front page\n- the cart\n- the till", '{"page":"the cart"}'],
    ["Prüfe bitte: Ahorn, Birke und Zeder", '{"baum":"Zeder"}'],
    ["请检查:杭州、苏州、南京", '{"城市":"苏州"}'],
    ["Load all 24 blocks.", '{"block":7}'],
    ["请加载第1到第24块", '{"block":7}'],
    ["Look into: abel.ts, bruns.ts, costa.ts", '{"command":"grep -n TODO src/bruns.ts"}'],
  ])("%s", (text, action) => expect(named(text, action)).not.toBe(""));
});

describe("what is no list, or no item of it, is not known", () => {
  it.each([
    ["Find out, please, what we pay during parental leave.", '{"query":"parental leave pay"}'],
    ["Check curl, expat and zlib.", '{"package":"openssl"}'],
    ["Read pages 3-9.", '{"page":10}'],
    ["Load blocks 1 to 24.", '{"block":25}'],
    ["Check curl, expat and zlib.", `{"content":"${"zlib is one of the libraries. ".repeat(20)}"}`],
    ["Buy milk and bread.", '{"item":"milk"}'],
    ["", '{"a":1}'],
  ])("%s", (text, action) => expect(named(text, action)).toBe(""));
});

it("keeps codes of a bounded number of items, and no text", () => {
  const listed = itemsListed(Array.from({ length: 5_000 }, (_, i) => `item${i}`).join(", "));
  expect(listed.length).toBe(3 * 512);
  expect(listed).not.toContain("item");
});

it.each(["\n", "\r\n", " \n", "a\n", "a,\n", "a,"])(
  "looks at few of the pieces of a text of nothing but %j",
  (piece) => {
    const split = vi.spyOn(String.prototype, "split");
    itemsListed(piece.repeat(8_192 / piece.length));
    const count = split.mock.calls.length;
    split.mockRestore();
    expect(count).toBeLessThan(4 * 2_048);
  },
);
