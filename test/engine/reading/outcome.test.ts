import { requestWork } from "../../../src/work.ts";
import { describe, expect, it } from "vitest";
import { jsonIn } from "../../../src/engine/fingerprint/canonical.ts";
import { readOutcome as judgeValue } from "../../../src/engine/reading/outcome.ts";
import type { Outcome } from "../../../src/step.ts";

const judge = (outcome: Outcome) => judgeValue(outcome, jsonIn(outcome.text.trim(), requestWork()));

describe("a phrase behind other words", () => {
  it.each([
    "zsh: command not found: foo",
    "permission denied",
    "\n502 Bad Gateway",
    "3 tests failed",
    "timeout of 500 ms exceeded",
    "com.example.IllegalStateException",
  ])("%j is a failure", (phrase) => {
    expect(judge({ text: `It was tried, and then this: ${phrase}` }).failed).toBe(true);
    expect(judge({ text: `It was tried, and then this: ${phrase.toUpperCase()}` }).failed).toBe(true);
  });
});

describe("a failure that may pass is one in each wrapping", () => {
  const failure = "Error: connect ECONNREFUSED 10.0.0.4: connection refused";
  const others = { name: "lookup", content: "Record x9: the connection was refused in 1912." };
  it.each([
    JSON.stringify({ name: "lookup", content: failure }),
    JSON.stringify({ output: [{ text: failure }] }),
    JSON.stringify({ response: { type: "text", content: failure } }),
    "Tool call failed with error: 'connection refused by the host'",
  ])("%s", (text) => expect(judge({ text })).toMatchObject({ failed: true, cause: "transient" }));

  it.each([others, { title: "Error: a novel", content: failure }, { content: ["Error: x", "y"] }])(
    "%j is an answer",
    (value) => expect(judge({ text: JSON.stringify(value) }).failed).toBe(false),
  );
});

describe("what failed", () => {
  it.each([
    "Error: no such user",
    "Traceback (most recent call last):\n  File …",
    "ValueError: invalid literal",
    "exit code: 1\nsrc/a.ts is not formatted well",
    "a.ts\nb.ts\nc.ts\n[Command finished with exit code 1]",
    "Command: lint\nDirectory: (root)\nOutput: 3 problems\nError: (none)\nExit Code: 1\nSignal: (none)",
    "Command: lint\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 2\nSignal: (none)",
    "404 Not Found",
    '{"error":"not found"}',
    '{"success":false}',
    '{"exit_code":2,"stdout":""}',
    "エラー: ファイルがありません",
  ])("%s", (text) => expect(judge({ text }).failed).toBe(true));
});

describe("what did not", () => {
  it.each([
    "",
    "Query returned 12 rows",
    "503 of 900 files copied",
    "Command: grep x\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 1\nSignal: (none)",
    "One run.\nTwo runs.\nThree runs.\nThe last was ended since the process exited with code 1, as planned.",
    "0 failed, 12 passed",
    "Error handling in Go: a guide",
    "Could not find any results for this query",
    '{"error":null,"rows":[1,2]}',
    '{"exit_code":0,"stderr":"warning: error ahead"}',
  ])("%j", (text) => expect(judge({ text }).failed).toBe(false));
});

describe("how much an outcome tells", () => {
  it.each([
    { text: "", weight: "nothing" },
    { text: "None", weight: "nothing" },
    { text: "<output></output>", weight: "nothing" },
    { text: "File written successfully.", weight: "acknowledgement" },
    { text: '{"ok":true,"id":"m_1"}', weight: "acknowledgement" },
    { text: '{"state":"closed"}', weight: "informative" },
    { text: "No results found.", weight: "informative" },
    { text: "没有找到符合条件的商品", weight: "informative" },
  ])("$text: $weight", ({ text, weight }) => expect(judge({ text }).weight).toBe(weight));
});

describe("why it failed", () => {
  it.each([
    { text: "Error: 401 Unauthorized", cause: "auth" },
    { text: "Permission denied: /etc/shadow", cause: "denied" },
    { text: "Error: unknown tool 'serach'", cause: "unknown-tool" },
    { text: "Error: missing required parameter 'path'", cause: "missing-parameter" },
    { text: "Error: 503 Service Unavailable", cause: "transient" },
    { text: "Your last response must contain one code block.", cause: "unusable-answer" },
    { text: "Error: index out of range", cause: undefined },
    { text: "The page about HTTP 401 Unauthorized was read.", cause: undefined },
  ])("$text: $cause", ({ text, cause }) => expect(judge({ text }).cause).toBe(cause));

  it("a correction by the harness is a failure though nothing says error", () => {
    expect(judge({ text: "Your last response must contain one code block." }).failed).toBe(true);
  });
});

it.each([
  { text: "Status: running, 40 %", pending: true },
  { text: '{"state":"queued"}', pending: true },
  { text: '{"id":7,"status":"building"}', pending: true },
  { text: "No new messages.", pending: true },
  { text: "A building in the centre, 3 floors", pending: false },
  { text: `${"A long article about running. ".repeat(40)}`, pending: false },
])("says whether something is still under way: $pending", ({ text, pending }) =>
  expect(judge({ text }).pending).toBe(pending),
);

it("judges any text in linear time", () => {
  for (const word of ["missing ", "exit ", "return ", "{", "[", "1 ", "\u00e9", "error"])
    expect(judge({ text: word.repeat(200_000) })).toHaveProperty("failed");
});

describe("a record with a field for errors", () => {
  it.each([`{"error": 0, "message": "Success"}`])("that says none has not failed: %s", (text) =>
    expect(judge({ text }).failed).toBe(false),
  );
  it.each([`{"error": 7, "message": "no"}`, `{"error": "no such user"}`])("that says one has failed: %s", (text) =>
    expect(judge({ text }).failed).toBe(true),
  );
});

describe("a record of nothing", () => {
  it.each([`{"hits":[],"total":0}`, `{"columns":["id"],"rows":[],"row_count":0,"truncated":false}`])("%s", (text) =>
    expect(judge({ text }).weight).toBe("nothing"),
  );
  it("is not one that counts none of many", () =>
    expect(judge({ text: `{"rows":[1,2],"skipped":0,"columns":["id"]}` }).weight).toBe("informative"));
});
