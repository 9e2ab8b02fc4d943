import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { readConfigFile } from "../../src/config-file/config-file.ts";
import { configure } from "../../src/config-file/configured.ts";
import { UnloopError } from "../../src/errors.ts";

const fixture = (name: string) => parse(readFileSync(`test/fixtures/config-file/${name}.yaml`, "utf8"));
const kinds: Readonly<Record<string, readonly { readonly text: string; readonly cure: string }[]>> =
  fixture("mistakes");

function mistakesOf(text: string): readonly string[] {
  try {
    configure(readConfigFile(text, ""), { mode: "enforce", policy: "default" }, { env: {}, readFile: () => undefined });
    return [];
  } catch (error) {
    if (!(error instanceof UnloopError)) throw error;
    return error.message.split("\n").map((line) => line.replace(/^:/, ""));
  }
}

it.each(Object.entries(kinds).flatMap(([kind, rows]) => rows.map((row) => ({ kind, ...row }))))(
  "a mistake is told at its place, once, with its cure: $kind: $text: $cure",
  ({ text, cure }) => {
    const before = text.slice(0, text.indexOf("§")).split("\n");
    const told = mistakesOf(text.replace("§", ""));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/[.?]$/);
    expect(told[0]).toMatch(new RegExp(`^${before.length}:${(before.at(-1) ?? "").length + 1} `));
    expect(told[0]).toContain(cure);
  },
);

it.each(Object.entries<string>(fixture("right")))("%s is no mistake", (_, text) =>
  expect(mistakesOf(text)).toEqual([]),
);

it("all mistakes of a file are named at once, in the file's order", () => {
  const told = mistakesOf("mode: of\nrules:\n  - nam: a\nlimits: { drainMs: x }\nrollout: -1");
  expect(told.map((one) => Number(one.split(":")[0]))).toEqual([1, 3, 3, 4, 5]);
});

it("holds up nothing, however it is nested", () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from(
    { length: 12 },
    (_, i) =>
      `b${i}: &b${i} [${Array(9)
        .fill(i === 0 ? "*a" : `*b${i - 1}`)
        .join(",")}]`,
  ).join("\n")}`;
  expect(mistakesOf(bomb).length).toBeGreaterThan(0);
});

it("has policies that extend presets and each other, whatever their order", () => {
  const text = "policies:\n  b: { extends: a, name: bee }\n  a: { ladders: { call-cycle: { nudge: 4 } } }";
  const { policies } = readConfigFile(text, "");
  expect(policies.get("b")).toMatchObject({
    name: "bee",
    ladders: { "call-cycle": { nudge: 4, "force-done": 4 } },
  });
  expect(policies.get("a")?.name).toBe("a");
});

describe("what a file only names", () => {
  const secrets: Readonly<Record<string, string>> = {
    "/short": "abc",
    "/url": "https://hooks.example/T0?key=1\n",
    "/key": "0123456789abcdef\n",
  };
  const alerts = (text: string) => {
    const file = readConfigFile(`alerts: [{ name: a, ${text} }]`, "f");
    const settings = { mode: "enforce", policy: "default" } as const;
    return configure(file, settings, { env: {}, readFile: (path: string) => secrets[path] }).alerts;
  };

  it.each([
    ["url: { file: /none }", "alerts[0].url stands in a file that is empty or not there."],
    ["url: hooks.example", "alerts[0].url must be a whole http or https URL without user name and password."],
    ["url: 'https://user:secret@hooks.example'", "alerts[0].url must have no user name and password."],
    [
      "url: { file: /url }, secret: { file: /short }",
      "alerts[0].secret must have at least 16 characters, not 3; `openssl rand -hex 32` makes a good one.",
    ],
  ])("is told without the secret: %s", (text, says) => expect(() => alerts(text)).toThrow(says));

  it("is put in its place", () => {
    expect(alerts("url: { file: /url }, secret: { file: /key }, on: [cut]")).toMatchObject([
      { name: "a", url: new URL("https://hooks.example/T0?key=1"), secret: "0123456789abcdef", on: ["cut"] },
    ]);
  });
});

/** As long as a key is, and nearly a name of nothing. */
const CANARY = "sk-canary-5dd6c2e9f0a1";

const example = fixture("every-field");

type Path = readonly (string | number)[];

function placesIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    placesIn(one, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return path.length === 0 ? inner : [path, ...inner];
}

function changed(value: unknown, [key, ...rest]: Path, next: unknown, name?: string): unknown {
  if (key === undefined) return next;
  if (Array.isArray(value)) return value.map((one, i) => (i === key ? changed(one, rest, next, name) : one));
  const entries = Object.entries(value as object).map(([field, one]) =>
    field === key ? [rest.length === 0 ? (name ?? field) : field, changed(one, rest, next, name)] : [field, one],
  );
  return Object.fromEntries(entries);
}

const at = (path: Path): unknown => path.reduce<unknown>((value, key) => Object(value)[key], example);

describe("a secret in a wrong place is told by its place alone", () => {
  it("wherever it stands", () => {
    const texts = placesIn(example).flatMap((path) => [
      changed(example, path, CANARY),
      changed(example, path, { [CANARY]: CANARY }),
      changed(example, path, `{${CANARY}} *${CANARY}*`),
      changed(example, path, at(path), CANARY),
      changed(example, path, CANARY, CANARY),
    ]);
    expect(texts.length).toBeGreaterThan(300);
    expect(
      texts.flatMap((one) => mistakesOf(JSON.stringify(one))).filter((message) => message.includes(CANARY)),
    ).toEqual([]);
  });

  it.each([
    `mode: !${CANARY}`,
    `mode: !${CANARY} off`,
    `mode: *${CANARY}`,
    `mode: &${CANARY} &two off`,
    `%${CANARY} 1`,
    `%YAML ${CANARY}\n---\nmode: off`,
    `mode: "\\${CANARY}`,
    `mode: @${CANARY}`,
    `mode: |${CANARY}`,
    `mode: {${CANARY}`,
    `mode: [off] ${CANARY}`,
    `mode: off\n---\n${CANARY}`,
    `- ${CANARY}`,
    `${CANARY}: 1\n${CANARY}: 2`,
    CANARY,
    `policies: { ${CANARY}: { extends: ${CANARY} } }`,
  ])("in what is no YAML, or no configuration: %s", (text) => {
    const told = mistakesOf(text);
    expect(told).not.toEqual([]);
    expect(told.join("\n")).not.toContain(CANARY);
  });

  it("as the name of a field that is a collection, also for what the parser warns of", async () => {
    const warned: string[] = [];
    const listen = ({ message }: Error) => warned.push(message);
    process.on("warning", listen);
    onTestFinished(() => void process.off("warning", listen));
    expect(mistakesOf(`? { ${CANARY}: 1 }\n: 2`).join()).not.toContain(CANARY);
    await new Promise((told) => setImmediate(told));
    expect(warned).toEqual([]);
  });
});
