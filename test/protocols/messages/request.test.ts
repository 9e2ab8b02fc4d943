import { describe, expect, it } from "vitest";
import { messages as protocol } from "../../../src/protocols/messages/messages.ts";
import { ask, mark, result, said, steps, system, text, thinking, use, user } from "./support.ts";

const outcome = (words: string, failed?: boolean) => (failed === undefined ? { text: words } : { text: words, failed });

describe("a history becomes steps", () => {
  it("a call beside its result, thoughts left out", () => {
    expect(
      steps(
        user(text("Look.")),
        said(thinking("Where?"), text("I look."), use("toolu_1", "bash", { command: "ls" })),
        user(result("toolu_1", "notes.txt", { is_error: false })),
      ),
    ).toEqual([
      {
        calls: [{ id: "toolu_1", tool: "bash", args: '{"command":"ls"}', outcome: outcome("notes.txt", false) }],
        text: "I look.",
        heard: [],
      },
    ]);
  });

  it("what the user says behind a result is heard, reminders of the harness are not", () => {
    const [step] = steps(
      user(text("Look.")),
      said(use("a")),
      user(
        result("a", "one"),
        text("<system-reminder>\nThe date is today.\n</system-reminder>"),
        text("<system-reminder>x</system-reminder>\nStop that."),
      ),
    );
    expect(step?.heard).toEqual(["Stop that."]);
  });

  it("the API's own tools are answered within the answer", () => {
    const found = [{ type: "web_search_result", url: "https://a.example", title: "A", encrypted_content: "zz" }];
    const [step] = steps(
      user(text("Search.")),
      said(
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "a" } },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: found },
        { type: "server_tool_use", id: "srvtoolu_2", name: "web_fetch", input: { url: "b" } },
        {
          type: "web_fetch_tool_result",
          tool_use_id: "srvtoolu_2",
          content: { type: "web_fetch_tool_error", error_code: "url_not_accessible" },
        },
        text("Here it is."),
      ),
    );
    expect(step?.calls).toEqual([
      {
        id: "srvtoolu_1",
        tool: "web_search",
        args: '{"query":"a"}',
        outcome: outcome('{"type":"web_search_result","url":"https://a.example","title":"A"}'),
      },
      {
        id: "srvtoolu_2",
        tool: "web_fetch",
        args: '{"url":"b"}',
        outcome: outcome('{"type":"web_fetch_tool_error","error_code":"url_not_accessible"}', true),
      },
    ]);
  });
});

describe("the instructions", () => {
  const told = [user(text("Look.")), said(use("a")), user(result("a", "one"))];

  it.each([
    ["as a string", { system: "Be brief.\nBe kind." }],
    ["as blocks, with marks", { system: [text("Be brief."), text("Be kind.", mark)] }],
    [
      "with a line of billing that is new each time",
      { system: [text("x-anthropic-billing-header: cch=1f;"), text("Be brief.\nBe kind.")] },
    ],
  ])("%s", (_, more) => expect(ask(told, more).conversation.system).toBe("Be brief.\nBe kind."));

  it("stand before the first turn among the messages, too; later ones change nothing", () => {
    const [first, ...rest] = told;
    const { conversation } = ask([first, system([text("Be kind.", mark)]), ...rest, system("Hurry.")], {
      system: "Be brief.",
    });
    expect(conversation.system).toBe("Be brief.\nBe kind.");
    expect(conversation.steps).toEqual(ask(told).conversation.steps);
  });
});

describe("what a request asks for", () => {
  const tools = [
    { name: "bash", input_schema: { type: "object" }, ...mark },
    { type: "custom", name: "grep", defer_loading: true },
    { type: "web_search_20250305", name: "web_search" },
  ];

  it("the client's own tools", () => {
    expect(ask([user(text("a"))], { tools }).tools).toEqual([
      { name: "bash", schema: { type: "object" } },
      { name: "grep" },
    ]);
  });

  it.each([
    ["now", { output_config: { format: { type: "json_schema", schema: { type: "object" } } } }],
    ["in its first version", { output_format: { type: "json_schema", schema: { type: "object" } } }],
  ])("an answer of a shape, %s", (_, more) => {
    expect(ask([user(text("a"))], more).format).toEqual({ kind: "schema", schema: { type: "object" } });
  });

  it("the answer that it goes on from, where the API keeps the history", () => {
    expect(ask([user(text("a"))], { thread: { type: "create" } }).previousAnswerId).toBeUndefined();
    const thread = { type: "continue", previous_message_id: "msg_7" };
    expect(ask([user(result("a", "one"))], { thread, tools: [] }).previousAnswerId).toBe("msg_7");
  });
});

it.each(["{", "[]", '{"messages":{}}', '{"messages":[]}', '{"messages":[{"role":"critic"}]}', '{"input":"a"}'])(
  "%s is not understood",
  (odd) => expect(protocol.parse(odd)).toBeUndefined(),
);

it.each<[name: string, own: boolean, recorded: object]>([
  ["by its blocks", true, { messages: [user(text("a")), said(use("b"))] }],
  ["by its instructions", true, { messages: [{ role: "user", content: "a" }], system: "b" }],
  ["by its tools", true, { messages: [{ role: "user", content: "a" }], tools: [{ name: "b", input_schema: {} }] }],
  ["not by a role of chat completions", false, { messages: [{ role: "tool", content: "b" }] }],
  ["nor by its tools", false, { messages: [{ role: "user", content: "a" }], tools: [{ function: {} }] }],
])("a recorded body is of this format %s", (_, own, recorded) => expect(protocol.recognises(recorded)).toBe(own));
