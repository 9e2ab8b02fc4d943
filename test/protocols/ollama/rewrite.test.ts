import { describe, expect, it } from "vitest";
import type { Edit } from "../../../src/protocols/protocols.ts";
import { body, called, result, rewrite, user } from "./support.ts";

const note: Edit = { kind: "note", step: 0, text: "NOTE" };
const finish = (tool?: string): Edit => ({ kind: "finish", tool });
const tool = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });

it("a note stands at the end of the last result of its step", () => {
  const messages = [user("q"), called(["a"], ["b"]), result("a", "1"), result("b", "2")];
  expect(JSON.parse(rewrite(body(messages), note)).messages).toEqual([
    ...messages.slice(0, 3),
    result("b", "2\n\nNOTE"),
  ]);
});

it("a note beside an image leaves the image as it is", () => {
  const messages = [called(["look"]), result("look", "", { images: ["abc"] })];
  expect(JSON.parse(rewrite(body(messages), note)).messages[1]).toEqual(result("look", "NOTE", { images: ["abc"] }));
});

describe("where the model may only finish", () => {
  const asked = (tools: unknown) => body([user("q")], { tools, keep_alive: "5m" });

  it("the last tool alone is offered", () => {
    expect(JSON.parse(rewrite(asked([tool("a"), tool("done")]), finish("done")))).toEqual(
      JSON.parse(asked([tool("done")])),
    );
  });

  it("no tool is, if there is no such one", () => {
    expect(JSON.parse(rewrite(asked([tool("a")]), finish()))).toEqual(JSON.parse(asked([])));
  });

  it("nothing changes where nothing is offered", () => {
    expect(rewrite(asked([]), finish())).toBe(asked([]));
  });

  it("all other bytes stay as they were", () => {
    const text = `\t{ "options":{"seed":12345678901234567890}, "tools" : [ {"function":{"name":"done","x":1e400}} , 1],"messages":[{"role":"user","content":"\\u00e9"}]}\n`;
    expect(rewrite(text, finish("done"))).toBe(
      text.replace(/\[ \{.*?, 1\]/, '[{"function":{"name":"done","x":1e400}}]'),
    );
  });
});

it("what a policy says before all else stands in the system message", () => {
  const messages = [{ role: "system", content: "Be brief." }, user("q")];
  const { messages: changed } = JSON.parse(rewrite(body(messages), { kind: "preamble", text: "CHECK" }));
  expect(changed[0].content).toBe("Be brief.\n\nCHECK");
});
