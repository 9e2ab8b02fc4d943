import { expect, it } from "vitest";
import { readLoop } from "../../src/activity/activity.ts";
import { containments } from "../../src/activity/containments.ts";
import type { Language } from "../../src/policy/policy.ts";
import { sentencesOf } from "../../src/policy/wording/sentences.ts";
import { memoryStores } from "../../src/store/memory/memory.ts";
import { directivesOver } from "../../src/store/records.ts";
import type { ThreadKey } from "../../src/store/store.ts";

const HOUR_MS = 3_600_000;
const order = { actor: "ada", reason: "It sends mail.", at: 1, until: 2 };

it.each(["{bad", "5", '{"a":1}', '["x",[1],["contain:a",{"text":5,"ends":9}]]'])(
  "an operator can order an end whatever stands in the store: %s",
  async (damaged) => {
    const { sessions } = memoryStores({});
    await sessions.write("directives.all" as ThreadKey, damaged, 0, HOUR_MS);
    const directives = directivesOver(sessions);
    await directives.put("contain:b", "text", HOUR_MS);
    expect([...((await directives.read())?.texts ?? [])]).toEqual([["contain:b", "text"]]);
  },
);

it.each(["{bad", "null", '{"actor":"ada"}', '{"at":1,"until":"later"}'])(
  "a damaged order is none, and takes no other with it: %s",
  async (damaged) => {
    const { directives } = memoryStores({});
    const orders = containments({ stores: { directives }, onReset: () => undefined });
    await directives.put("contain:a", damaged, HOUR_MS);
    await directives.put("contain:b", JSON.stringify({ ...order, added: "by a newer build" }), HOUR_MS);
    await orders.refresh();
    expect([...orders.all().keys()]).toEqual(["b"]);
  },
);

it("a loop is read from what a loop is alone", () => {
  expect(readLoop("{bad")).toBeUndefined();
  expect(readLoop('{"detector":"x","tools":"all"}')).toBeUndefined();
});

it("a language that no build knows is English", () => {
  expect(sentencesOf("__proto__" as Language, {})).toEqual(sentencesOf("en", {}));
});
