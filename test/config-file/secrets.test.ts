import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { mistakesOf } from "./mistakes-of.ts";

/** As long as a key is, and nearly a name of nothing. */
const CANARY = "sk-canary-5dd6c2e9f0a1";

const example = parse(`
$schema: https://example.com/schema.json
mode: observe
policy: default
rollout: 50
upstreams: { /groq: https://api.groq.com/openai }
policies:
  careful:
    name: careful
    extends: [default]
    ladders: { repeated-call: { nudge: 2 }, call-cycle: off }
    budget: { cost: 1 }
    prices: { gpt-*: { input: 1, output: 2 } }
    detectors: { repeated-call: { outcome: page } }
    finalResponseAfterFailure: true
    runaway: off
    stopSignal: STOP
    preamble: { text: { en: Mind this. }, when: always }
    prompts: [{ history: H, task: T, step: S, action: A, result: R }]
    doneTools: [done]
    language: en
    wording: { en: { stopped: "Stopped at {count}." } }
    tools: { click: { only: [target], ladders: {}, fallback: { tool: click, args: { target: "#go" } } } }
rules:
  - name: research
    when: { path: /r, header: { x-team: a }, tenant: t, client: c, agent: a, model: [m] }
    policy: careful
    mode: enforce
    rollout: 5
clients:
  - { name: bot, tenant: t, sha256: ${"a".repeat(64)}, policy: careful, mode: off, upstreamKey: { env: KEY } }
  - { name: two, tenant: t, sha256: ${"b".repeat(64)}, upstreamKey: { file: /key } }
admin: { tokens: [{ name: lead, role: read, tenant: t, file: /token }, { name: ops, role: read, env: OPS }] }
alerts:
  - name: platform
    url: https://hooks.example
    secret: { file: /signing }
    on: [cut]
    tenants: [t]
    policies: [careful]
    rules: [research]
    detectors: [call-cycle]
  - { name: hidden, url: { env: HOOK } }
limits: { maxBodyBytes: 1000 }
`);

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
