import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { gzipSync } from "node:zlib";
import { command, files, unloop } from "./command.ts";

/** A conversation in which one call is made `count` times. */
function messages(count: number): readonly object[] {
  const turns = Array.from({ length: count }, (_, i) => [
    {
      role: "assistant",
      tool_calls: [{ id: `c${i}`, type: "function", function: { name: "search", arguments: '{"q":"Paris"}' } }],
    },
    { role: "tool", tool_call_id: `c${i}`, content: "rain till noon" },
  ]);
  return [{ role: "user", content: "What is the weather?" }, ...turns.flat(), { role: "assistant", content: "Rain." }];
}

const finding = (turn: number, rung: string, count: number) => ({
  turn,
  detector: "repeated-call",
  rung,
  count,
  loop: expect.stringMatching(/^repeated-call:/),
  note: `search: the same call with the same outcome, ${count} times`,
});
const nudge = finding(2, "nudge", 3);
const forced = finding(4, "force-done", 5);
const looping = { messages: messages(5) };
const healthy = { messages: messages(2) };
/** The same conversation, as Anthropic's Messages API tells it. */
const anthropic = {
  system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
  messages: looping.messages.map((message) => {
    const { role, content, tool_call_id, tool_calls } = message as Readonly<Record<string, unknown>>;
    if (role === "tool")
      return { role: "user", content: [{ type: "tool_result", tool_use_id: tool_call_id, content }] };
    const [call] = (tool_calls ?? []) as readonly { readonly id: string }[];
    if (call === undefined) return { role, content };
    return { role, content: [{ type: "tool_use", id: call.id, name: "search", input: { q: "Paris" } }] };
  }),
};
const loopsFor = (id: string) => ({ id, steps: 6, first: nudge, findings: [nudge, forced] });
const fineFor = (id: string) => ({ id, steps: 3, first: null, findings: [] });
const lines = (...values: readonly unknown[]) => `${values.map((value) => JSON.stringify(value)).join("\n")}\n`;

async function replayed(args: readonly string[], stdin?: string | Uint8Array) {
  const { code, out, err } = await unloop(
    ["replay", "--format", "json", ...args],
    stdin === undefined ? {} : { stdin },
  );
  const found = out.split("\n").filter((line) => line !== "");
  return { code, err, found: found.map((line): unknown => JSON.parse(line)) };
}

describe("unloop replay --format json", () => {
  it("tells of each conversation on a line of its own, with exactly the promised fields", async () => {
    const { a } = files({ a: lines({ id: "run-1", ...looping }, { ...healthy, id: 7 }, healthy) });
    expect(await replayed([a])).toEqual({ code: 0, err: "", found: [loopsFor("run-1"), fineFor("7"), fineFor("2")] });
  });

  const readable = {
    "one.json": { content: JSON.stringify(looping, null, 2), found: [loopsFor("0")] },
    "messages.json": { content: `\ufeff${JSON.stringify(looping.messages)}`, found: [loopsFor("0")] },
    "histories.json": {
      content: JSON.stringify([healthy.messages, looping.messages]),
      found: [fineFor("0"), loopsFor("1")],
    },
    "logged.jsonl": { content: lines({ id: "r", request: looping, status: 200 }), found: [loopsFor("r")] },
    "anthropic.jsonl": { content: lines({ id: "a", request: { body: anthropic } }), found: [loopsFor("a")] },
    "crlf.jsonl": { content: lines(looping, healthy).replace("\n", "\r\n\r\n"), found: [loopsFor("0"), fineFor("2")] },
    "unended.jsonl": { content: `\ufeff${lines(healthy, looping).trimEnd()}`, found: [fineFor("0"), loopsFor("1")] },
    "none.jsonl": { content: "", found: [] },
    "runs.jsonl.gz": { content: gzipSync(lines(looping, healthy)), found: [loopsFor("0"), fineFor("1")] },
    "not-really.jsonl.gz": { content: lines(looping), found: [loopsFor("0")] },
    "list.json.gz": { content: gzipSync(JSON.stringify([healthy, looping])), found: [fineFor("0"), loopsFor("1")] },
  };

  it("reads one conversation, a list, a history alone, a request, JSON Lines, compressed or not, file after file", async () => {
    const named = Object.entries(readable);
    const paths = files(Object.fromEntries(named.map(([name, { content }]) => [name, content])));
    const { code, err, found } = await replayed(Object.values(paths));
    expect(found).toEqual(named.flatMap(([, { found }]) => found));
    const empty = named.flatMap(([name, { found }]) => (found.length === 0 ? [paths[name]] : []));
    expect([code, err]).toEqual([0, empty.map((path) => `unloop: ${path} contains no conversation.\n`).join("")]);
  });

  it.each([
    ["one JSON value on many lines", JSON.stringify(looping, null, 2)],
    ["what is compressed", gzipSync(lines(looping))],
  ])("reads from standard input %s", async (_, stdin) => {
    expect(await replayed(["-"], stdin)).toEqual({ code: 0, err: "", found: [loopsFor("0")] });
  });
});

describe("unloop replay --format html", () => {
  it("writes one page with every conversation of the file, its texts included", async () => {
    const { a } = files({ a: lines({ id: "run-1", ...looping }, { id: "run-2", request: { body: anthropic } }) });
    const { code, out, err } = await unloop(["replay", "--format", "html", a]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^<!doctype html>.*<\/html>\n$/s);
    const pieces = [...out.matchAll(/class="conversation">(.*)<\/script>/g)].map(([, json = ""]) => JSON.parse(json));
    expect(pieces.map(({ id, steps, findings }) => [id, steps.length, findings.length])).toEqual([
      ["run-1", 6, 2],
      ["run-2", 6, 2],
    ]);
    for (const { task, steps, findings } of pieces) {
      expect(task).toBe("What is the weather?");
      expect(steps[0].text.calls).toEqual([{ tool: "search", args: '{"q":"Paris"}', outcome: "rain till noon" }]);
      expect(steps[0].signature).toBe(steps[1].signature);
      expect(findings[0]).toMatchObject({ step: 2, evidence: [0, 1, 2], next: { rung: "force-done", at: 5 } });
    }
  });
});

describe("unloop replay", () => {
  it("writes for people by default", async () => {
    const { a } = files({ a: lines({ id: "run-1", ...looping }, { id: "run-2", ...healthy }) });
    const { code, out } = await unloop(["replay", a]);
    expect(code).toBe(0);
    expect(out.split("\n")).toEqual([
      "run-1: 6 steps, 2 findings",
      "  turn 2: nudge (repeated-call) search: the same call with the same outcome, 3 times",
      "  turn 4: force-done (repeated-call) search: the same call with the same outcome, 5 times",
      "run-2: 3 steps, no loop",
      "",
    ]);
    expect(await unloop(["replay", "--format", "text", a])).toMatchObject({ out });
  });

  it.each([
    ["broken.jsonl", `${lines(healthy)}{"messages":[\n${lines(looping)}`, /broken\.jsonl:2 is not JSON: /],
    ["broken.json", '{"messages":[}', /broken\.json is not JSON: /],
    ["broken.jsonl.gz", gzipSync(lines(healthy)).subarray(0, -9), /broken\.jsonl\.gz: .*unexpected end/],
  ])("says in one sentence where %s is broken, and how to help it", async (name, content, says) => {
    const { [name]: path = "" } = files({ [name]: content });
    const { code, err } = await unloop(["replay", path]);
    expect(code).toBe(2);
    expect(err).toMatch(says);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
    expect(err).toContain("Use JSON Lines with one conversation per line");
  });

  it.each([
    [["/nowhere/x.jsonl"], "/nowhere/x.jsonl cannot be read: there is no such file. Correct the path.\n"],
    [["-", "--policy", "strict"], "--policy must be one of default"],
    [["-", "--format", "xml"], '--format must be text, json or html, not "xml".'],
    [[], "missing required argument 'file'"],
  ])("says in one sentence what is wrong with %j", async (args, says) => {
    const { code, out, err } = await unloop(["replay", ...args]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(says);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  });

  it("prints nothing of a file that a terminal would obey: ids, names, text that is no JSON", async () => {
    const evil = "a\u001b[2J\u009b1m\r\u202eb";
    const paths = files({
      "ids.json": JSON.stringify([
        { id: evil, ...looping },
        { id: evil, ...healthy },
      ]),
      "\u001b[2J.jsonl": `"x"\n${evil}`,
    });
    const told = await Promise.all(Object.values(paths).map((path) => unloop(["replay", path])));
    const all = told.map(({ out, err }) => out + err).join("");
    expect(all).toContain(String.raw`a\u001b[2J\u009b1m\u000d\u202eb: 2 steps, no loop`.replace("2 steps", "3 steps"));
    expect(all).toContain(String.raw`\u001b[2J.jsonl:1 is not a conversation`);
    expect(all.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it("stops quietly when nobody reads on", async () => {
    const many = lines(...Array.from({ length: 5_000 }, (_, i) => ({ id: `run-${i}`, ...looping })));
    const { a } = files({ a: many });
    const child = command(["replay", a]);
    let err = "";
    child.stderr.on("data", (piece) => {
      err += piece;
    });
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [code] = await once(child, "close");
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });
});
