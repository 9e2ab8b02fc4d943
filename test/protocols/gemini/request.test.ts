import { describe, expect, it } from "vitest";
import { gemini as protocol } from "../../../src/protocols/gemini/gemini.ts";
import { protocolFor } from "../../../src/protocols/protocols.ts";
import { ask, at, call, result, said, steps, text, tool, user } from "./support.ts";

describe("an endpoint", () => {
  const spoken = (path: string) => protocolFor("POST", path)?.name;

  it.each([
    "/v1beta/models/gemini-2.5-flash:countTokens",
    "/v1beta/models/gemini-2.5-flash:batchGenerateContent",
    "/v1beta/interactions",
  ])("passes: %s", (path) => expect(spoken(path)).toBeUndefined());

  it.each([
    ["streamGenerateContent", "application/json; charset=UTF-8"],
    ["streamGenerateContent?key=k", "application/json; charset=UTF-8"],
    ["streamGenerateContent?key=k&alt=sse", "text/event-stream; charset=utf-8"],
    ["generateContent?alt=sse", "text/event-stream; charset=utf-8"],
  ])("is framed by its query: %s", (verb, contentType) => {
    expect(protocol.framing(at("g", verb)).contentType).toBe(contentType);
  });
});

describe("a history", () => {
  it("tells a call without an id from those of other runs by its signature", () => {
    const signed = { ...call("search"), thoughtSignature: `${"A".repeat(100)}${"b".repeat(48)}` };
    const [step] = steps(user(text("Go.")), said(signed), user(result("search", { output: "x" })));
    expect(step?.calls[0]).toMatchObject({ id: "b".repeat(48), outcome: { text: "x" } });
  });

  it("is the same where a client has kept a content for each chunk", () => {
    const kept = [said(text("I lo")), said(text("ok.")), said(call("search")), said(text(""))];
    const merged = [said(text("I look."), call("search"))];
    const rest = [user(result("search", { output: "x" })), said(text("Done."))];
    expect(steps(user(text("Go.")), ...kept, ...rest)).toEqual(steps(user(text("Go.")), ...merged, ...rest));
  });

  it.each([
    [{ output: "rain" }, { text: "rain" }],
    [{ result: { n: 1 } }, { text: '{"n":1}' }],
    [{ error: "No such file." }, { text: "No such file.", failed: true }],
  ])("has what a function gave back: %j", (response, outcome) => {
    const [step] = steps(user(text("Go.")), said(call("f")), user(result("f", response)));
    expect(step?.calls[0]?.outcome).toEqual(outcome);
  });

  it("has the outcomes of what the API runs itself within the turn", () => {
    const [step] = steps(
      user(text("Go.")),
      said(
        { executableCode: { language: "PYTHON", code: "1/0" } },
        { codeExecutionResult: { outcome: "OUTCOME_FAILED", output: "ZeroDivisionError" } },
        { toolCall: { id: "s", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["x"] } } },
        { executable_code: { language: "PYTHON", code: "1" } },
        { toolResponse: { id: "s", toolType: "GOOGLE_SEARCH_WEB", response: { output: "found" } } },
        { code_execution_result: { outcome: "OUTCOME_OK", output: "1" } },
        text("Done."),
      ),
    );
    expect(step?.calls).toEqual([
      {
        tool: "code_execution",
        args: '{"language":"PYTHON","code":"1/0"}',
        outcome: { text: "ZeroDivisionError", failed: true },
      },
      { id: "s", tool: "google_search_web", args: '{"queries":["x"]}', outcome: { text: "found" } },
      { tool: "code_execution", args: '{"language":"PYTHON","code":"1"}', outcome: { text: "1" } },
    ]);
  });

  it("is read in the names of the protocol buffers, and with one element in the place of a list", () => {
    const more = {
      system_instruction: { parts: { text: "Be brief." } },
      tools: { function_declarations: { name: "search", parameters: { type: "OBJECT" } } },
    };
    const { conversation, tools } = ask({ role: "user", parts: { text: "Weather?" } }, more);
    expect(conversation).toMatchObject({ system: "Be brief.", opening: ["Weather?"] });
    expect(tools).toEqual([{ name: "search", schema: { type: "object" } }]);
    const [step] = steps(
      user(text("Go.")),
      said({ function_call: { name: "f" } }),
      user({ function_response: { name: "f", response: { output: "x" } } }),
    );
    expect(step?.calls).toEqual([{ tool: "f", args: "{}", outcome: { text: "x" } }]);
  });
});

describe("a request", () => {
  it("may force a call: of any function, of one, or of some", () => {
    const config = (functionCallingConfig: unknown) =>
      ask([user(text("a"))], { toolConfig: { functionCallingConfig } });
    expect(config({ mode: "AUTO" }).toolChoice).toBeUndefined();
    expect(config({ mode: "ANY" }).toolChoice).toBe("any");
    expect(config({ mode: "ANY", allowedFunctionNames: ["a"] }).toolChoice).toEqual({ tool: "a" });
    expect(config({ mode: "ANY", allowedFunctionNames: ["a", "b"] }).toolChoice).toBe("any");
  });

  it("offers only what may be called", () => {
    const tools = [{ functionDeclarations: [tool("a"), tool("b"), tool("done")] }, { googleSearch: {} }];
    const toolConfig = { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["a", "b"] } };
    const names = (more: object) => ask([user(text("a"))], { tools, ...more }).tools.map(({ name }) => name);
    expect(names({})).toEqual(["a", "b", "done"]);
    expect(names({ toolConfig })).toEqual(["a", "b"]);
  });

  it("says what form its answer has to have", () => {
    const format = (generationConfig: unknown) => ask([user(text("a"))], { generationConfig }).format;
    const responseSchema = {
      type: "OBJECT",
      properties: {
        type: { type: "STRING", nullable: true },
        n: { type: "ARRAY", minItems: "1", items: { type: "INTEGER" } },
      },
    };
    expect(format({ responseMimeType: "application/json" })).toEqual({ kind: "json" });
    expect(format({ responseMimeType: "application/json", responseSchema })).toMatchObject({
      kind: "schema",
      schema: {
        type: "object",
        properties: {
          type: { type: ["string", "null"] },
          n: { type: "array", minItems: 1, items: { type: "integer" } },
        },
      },
    });
    expect(format({ response_json_schema: { type: "object" } })).toEqual({
      kind: "schema",
      schema: { type: "object" },
    });
    expect(format({ responseMimeType: "text/x.enum", responseSchema: { type: "STRING", enum: ["a"] } })).toEqual({
      kind: "text",
    });
  });

  it("with a schema of any depth is read", () => {
    const deep = `${'{"type":"OBJECT","properties":{"a":'.repeat(9_000)}{}${"}}".repeat(9_000)}`;
    const body = `{"contents":[{"role":"user","parts":[{"text":"a"}]}],"generationConfig":{"responseSchema":${deep}}}`;
    expect(protocol.parse(body, at())?.format.kind).toBe("schema");
  });
});

describe("what a request adds", () => {
  const bytes = (body: unknown) => new TextEncoder().encode(JSON.stringify(body));

  it("is not told where the model's last words may go on", () => {
    const open = [user(text("a")), said(text("Here"))];
    const closed = [...open, user(text("b"))];
    const end = (contents: readonly unknown[]) => protocol.delta.endOfMessages(bytes({ contents }), ask(contents));
    expect(end(open)).toBeUndefined();
    expect(end(closed)).toBeGreaterThan(0);
  });
});
