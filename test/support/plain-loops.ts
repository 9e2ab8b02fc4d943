import { acted, did, each, said, times, together, user, words, type Message } from "./conversations.ts";

const THREE_READS = [
  ["read_file", { path: "a" }, "alpha text"],
  ["read_file", { path: "b" }, "beta text"],
  ["grep", { q: "x" }, "a:1"],
] as const;

/** Agents that do the same again and again, and say so in the same words. */
export const plainLoops: Readonly<Record<string, readonly Message[]>> = {
  "parallel reads, other order": [
    user("Why?"),
    ...times(4, (i) => together(i % 2 === 0 ? THREE_READS : [...THREE_READS].reverse())),
  ],
  "react text": [
    user("Who?"),
    ...times(4, () =>
      acted(
        "Thought: I should search.\nAction: Search\nAction Input: president of X",
        "Observation: Could not find X. Similar: Y, Z",
      ),
    ),
  ],
  "json actions": [
    user("Buy it"),
    ...times(4, () =>
      acted('{"thinking":"try","action":[{"click":{"index":5}}]}', "Page: shop\n[5]<button>Buy</button>"),
    ),
  ],
  "json actions list": [
    user("Buy it"),
    ...times(4, () =>
      acted(
        '{"actions":[{"action":"click","target":"#buy","value":""}],"complete":false}',
        "Same page, nothing changed",
      ),
    ),
  ],
  "flip-flop edits": [
    user("Fix it"),
    ...times(4, () => [
      ...did("edit_file", { path: "a.ts", find: "x", replace: "y" }, "Edited a.ts"),
      ...did("edit_file", { path: "a.ts", find: "y", replace: "x" }, "Edited a.ts"),
    ]),
  ],
  "flip-flop with tests": [
    user("Fix it"),
    ...times(4, () => [
      ...did("edit_file", { path: "a.ts", find: "x", replace: "y" }, "Edited a.ts"),
      ...did("run_tests", {}, "FAILED test_a"),
      ...did("edit_file", { path: "a.ts", find: "y", replace: "x" }, "Edited a.ts"),
      ...did("run_tests", {}, "FAILED test_b"),
    ]),
  ],
  "browser back and forth": [
    user("Buy"),
    ...times(4, () => [
      ...did("click", { selector: "#checkout" }, "Checkout: please sign in"),
      ...did("go_back", {}, "Cart: 2 items"),
    ]),
  ],
  "apologies to a harness": [
    user("Do it"),
    ...times(4, () => [
      said("I apologize for the confusion. Let me try again."),
      user("No tool call found in your response. Please use a tool."),
    ]),
  ],
  "final answer again and again": [
    user("Sum?"),
    ...times(4, () => [said("The answer is 42, as computed from the table."), user("Please use the submit tool.")]),
  ],
  announcements: [
    user("Write"),
    ...each(
      [
        "Let me now write the file.",
        "I'll write the file next.",
        "Now I will create the file.",
        "Let me go ahead and create it.",
        "I'm going to write it now.",
      ],
      (t) => [said(t), user("continue")],
    ),
  ],
  "429 eight times": [
    user("Get"),
    ...times(8, () => did("http_get", { url: "https://api.example/x" }, { status: 429, error: "Too Many Requests" })),
  ],
  "asks the same question": [
    user("Refund"),
    ...times(4, (i) => [
      said("Could you please give me your order number so that I can help you?"),
      user(`It is 12345${"!".repeat(i)}, as I said ${words[i]}.`),
    ]),
  ],
  "period 8": [
    user("Look"),
    ...times(3, () => each(words.slice(0, 8), (w) => did("inspect", { room: w }, `${w} room is empty of keys`))),
  ],
  "reworded question to the user, no user": [
    user("Plan"),
    ...times(4, () => [said("Shall I continue with the next step of the plan?"), user("continue")]),
  ],
  "cd does not stick": [
    user("Build"),
    ...times(4, () => [
      ...did("bash", { command: "cd app" }, ""),
      ...did("bash", { command: "make" }, "make: *** No targets specified and no makefile found.  Stop."),
    ]),
  ],
  "unchanged poll 12": [user("Wait"), ...times(12, () => did("get_job", { id: 7 }, { id: 7, state: "RUNNING" }))],
  "read same file, ranges overlap": [
    user("Why"),
    ...times(5, () => did("read_file", { path: "a.py", start: 1, end: 200 }, "def a():\n  pass\n# many lines")),
  ],
  "german refrain": [
    user("Hallo"),
    ...times(4, (i) => [
      said("Bitte nennen Sie mir Ihre Kundennummer, damit ich helfen kann."),
      user(`Die ist ${words[i]} 77.`),
    ]),
  ],
  "closing rounds": [
    user("Danke, das war alles."),
    ...times(4, () => [said("Gern geschehen! Einen schönen Tag noch!"), user("Danke, Ihnen auch! Auf Wiedersehen!")]),
  ],
  "interleaved failing build": [
    user("Fix"),
    ...times(6, (i) => [
      ...did("bash", { command: "npm run build" }, "error TS2307: Cannot find module 'x'"),
      ...did("read_file", { path: `src/${words[i]}.ts` }, `export const ${words[i]} = 1`),
    ]),
  ],
  "legacy function_call": [
    user("Go"),
    ...times(4, () => [
      { role: "assistant", content: null, function_call: { name: "lookup", arguments: '{"k":1}' } },
      { role: "function", name: "lookup", content: "value is one" },
    ]),
  ],
  "content parts": [
    user("Go"),
    ...times(4, (i) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: `a${i}`, type: "function", function: { name: "lookup", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: `a${i}`, content: [{ type: "text", text: "value is one" }] },
    ]),
  ],
  "click nothing happens": [
    user("Log in"),
    ...times(4, () => did("click", { index: 12 }, "Clicked element 12. The page did not change.")),
  ],
  "same reads with thinking between": [
    user("Go"),
    ...times(4, (i) => [
      ...did("read_config", {}, "mode: safe"),
      ...did("think", { thought: `Idea ${words[i]}` }, "noted"),
    ]),
  ],
};
