import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { gzipSync } from "node:zlib";
import { called, repeated, user } from "../support/builders/chat-history.ts";
import { command, files, unloop } from "./command.ts";

const conversation = (count: number) => ({
  messages: [
    user("What is the weather?"),
    ...repeated(count, (i) => called(`c${i}`, "search", { q: "Paris" }, "rain till noon")),
    { role: "assistant", content: "Rain." },
  ],
});
const [looping, healthy] = [conversation(5), conversation(2)];
const use = (id: string) => [{ type: "tool_use", id, name: "search", input: { q: "Paris" } }];
const outcome = (id: string) => [{ type: "tool_result", tool_use_id: id, content: "rain till noon" }];
const anthropic = {
  system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
  messages: [
    user("What is the weather?"),
    ...repeated(5, (i) => [
      { role: "assistant", content: use(`c${i}`) },
      { role: "user", content: outcome(`c${i}`) },
    ]),
    { role: "assistant", content: "Rain." },
  ],
};

const finding = (turn: number, rung: string, count: number) => ({
  ...{ turn, detector: "repeated-call", rung, count, loop: expect.stringMatching(/^repeated-call:/) },
  note: `search: the same call with the same outcome, ${count} times`,
});
const [nudge, forced] = [finding(2, "nudge", 3), finding(4, "force-done", 5)];
const loopsFor = (id: string) => ({ id, steps: 6, first: nudge, findings: [nudge, forced] });
const fineFor = (id: string) => ({ id, steps: 3, first: null, findings: [] });
const lines = (...values: readonly unknown[]) => `${values.map((value) => JSON.stringify(value)).join("\n")}\n`;

async function replayed(args: readonly string[], stdin: string | Uint8Array = "") {
  const { code, out, err } = await unloop(["replay", "--format", "json", ...args], { stdin });
  const found = out.split("\n").filter((line) => line !== "");
  return { code, err, found: found.map((line): unknown => JSON.parse(line)) };
}

describe("unloop replay --format json", () => {
  it("tells of each conversation on a line of its own, with exactly the promised fields", async () => {
    const { a } = files({ a: lines({ id: "run-1", ...looping }, { ...healthy, id: 7 }, healthy) });
    expect(await replayed([a])).toEqual({ code: 0, err: "", found: [loopsFor("run-1"), fineFor("7"), fineFor("2")] });
  });

  const [loop, two] = [[loopsFor("0")], [fineFor("0"), loopsFor("1")]];
  const readable: Readonly<Record<string, readonly [content: string | Uint8Array, found: readonly unknown[]]>> = {
    "one.json": [JSON.stringify(looping, null, 2), loop],
    "messages.json": [`\ufeff${JSON.stringify(looping.messages)}`, loop],
    "histories.json": [JSON.stringify([healthy.messages, looping.messages]), two],
    "logged.jsonl": [lines({ id: "r", request: looping, status: 200 }), [loopsFor("r")]],
    "anthropic.jsonl": [lines({ id: "a", request: { body: anthropic } }), [loopsFor("a")]],
    "crlf.jsonl": [lines(looping, healthy).replace("\n", "\r\n\r\n"), [loopsFor("0"), fineFor("2")]],
    "unended.jsonl": [`\ufeff${lines(healthy, looping).trimEnd()}`, two],
    "none.jsonl": ["", []],
    "runs.jsonl.gz": [gzipSync(lines(healthy, looping)), two],
    "not-really.jsonl.gz": [lines(looping), loop],
    "list.json.gz": [gzipSync(JSON.stringify([healthy, looping])), two],
  };

  it("reads one conversation, a list, a history alone, a request, JSON Lines, compressed or not, file after file", async () => {
    const named = Object.entries(readable);
    const paths = files(Object.fromEntries(named.map(([name, [content]]) => [name, content])));
    expect(await replayed(Object.values(paths))).toEqual({
      code: 0,
      err: `unloop: ${paths["none.jsonl"]} contains no conversation.\n`,
      found: named.flatMap(([, [, found]]) => found),
    });
  });

  it.each([
    ["one JSON value on many lines", JSON.stringify(looping, null, 2)],
    ["what is compressed", gzipSync(lines(looping))],
  ])("reads from standard input %s", async (_, stdin) => {
    expect(await replayed(["-"], stdin)).toEqual({ code: 0, err: "", found: loop });
  });
});

it("unloop replay --format html writes one page with every conversation of the file, its texts included", async () => {
  const { a } = files({ a: lines({ id: "run-1", ...looping }, { id: "run-2", request: { body: anthropic } }) });
  const { code, out, err } = await unloop(["replay", "--format", "html", a]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^<!doctype html>.*<\/html>\n$/s);
  const pieces = [...out.matchAll(/class="conversation">(.*)<\/script>/g)].map(([, json = ""]) => JSON.parse(json));
  expect(pieces.map(({ id }) => id)).toEqual(["run-1", "run-2"]);
  for (const { task, steps, findings } of pieces) {
    expect([task, steps.length, findings.length]).toEqual(["What is the weather?", 6, 2]);
    expect(steps[0].text.calls).toEqual([{ tool: "search", args: '{"q":"Paris"}', outcome: "rain till noon" }]);
    expect(steps[0].signature).toBe(steps[1].signature);
    expect(findings[0]).toMatchObject({ step: 2, evidence: [0, 1, 2], next: { rung: "force-done", at: 5 } });
  }
});

describe("unloop replay", () => {
  it("writes for people by default", async () => {
    const { a } = files({ a: lines({ id: "run-1", ...looping }, { id: "run-2", ...healthy }) });
    const { code, out } = await unloop(["replay", a]);
    expect([code, ...out.split("\n")]).toEqual([
      0,
      "run-1: 6 steps, 2 findings",
      "  turn 2: nudge (repeated-call) search: the same call with the same outcome, 3 times",
      "  turn 4: force-done (repeated-call) search: the same call with the same outcome, 5 times",
      "run-2: 3 steps, no loop",
      "",
    ]);
  });

  it.each([
    ["broken.jsonl", `${lines(healthy)}{"messages":[\n${lines(looping)}`, /broken\.jsonl:2 is not JSON: /],
    ["broken.json", '{"messages":[}', /broken\.json is not JSON: /],
    ["broken.jsonl.gz", gzipSync(lines(healthy)).subarray(0, -9), /broken\.jsonl\.gz: .*unexpected end/],
  ])("says in one sentence where %s is broken, and how to help it", async (name, content, says) => {
    const { [name]: path = "" } = files({ [name]: content });
    const { code, err } = await unloop(["replay", path]);
    expect([code, err.trimEnd().split("\n").length]).toEqual([2, 1]);
    expect(err).toMatch(says);
    expect(err).toContain("Use JSON Lines with one conversation per line");
  });

  it.each([
    [["/nowhere/x.jsonl"], "/nowhere/x.jsonl cannot be read: there is no such file. Correct the path.\n"],
    [["-", "--policy", "strict"], "--policy must be one of default"],
    [["-", "--format", "xml"], '--format must be text, json or html, not "xml".'],
    [[], "missing required argument 'file'"],
  ])("says in one sentence what is wrong with %j", async (args, says) => {
    const { code, out, err } = await unloop(["replay", ...args]);
    expect([code, out, err.trimEnd().split("\n").length]).toEqual([2, "", 1]);
    expect(err).toContain(says);
  });

  it("prints nothing of a file that a terminal would obey: ids, names, text that is no JSON", async () => {
    const evil = "a\u001b[2J\u009b1m\r\u202eb";
    const ids = [looping, healthy].map((one) => ({ id: evil, ...one }));
    const paths = files({ "ids.json": JSON.stringify(ids), "\u001b[2J.jsonl": `"x"\n${evil}` });
    const told = await Promise.all(Object.values(paths).map((path) => unloop(["replay", path])));
    const all = told.map(({ out, err }) => out + err).join("");
    expect(all).toContain(String.raw`a\u001b[2J\u009b1m\u000d\u202eb: 3 steps, no loop`);
    expect(all).toContain(String.raw`\u001b[2J.jsonl:1 is not a conversation`);
    expect(all.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it("stops quietly when nobody reads on", async () => {
    const { a } = files({ a: lines(...Array.from({ length: 5_000 }, (_, i) => ({ id: `run-${i}`, ...looping }))) });
    const child = command(["replay", a]);
    let err = "";
    child.stderr.on("data", (piece) => (err += piece));
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [code] = await once(child, "close");
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });
});
