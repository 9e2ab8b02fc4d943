import { describe, expect, it } from "vitest";
import { exportsOfUnknown, identifiersIn } from "./support/checks/identifiers.ts";
import {
  codeOf,
  exportsOf,
  importsOf,
  partOf,
  readSources,
  roomOf,
  roomSizes,
  type Source,
} from "./support/checks/sources.ts";

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== "");
const listed = (lists: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, words(list)]));

/** What each part may import: other parts by their folder (through the door), packages by name. */
const mayImport: Readonly<Record<string, readonly string[]>> = listed({
  sse: "text/bytes.ts",
  "text/keyed-hash.ts": "node:",
  "text/bytes.ts": "node:",
  "step.ts": "text/is-object.ts",
  "text/parse-json.ts": "text/is-object.ts",
  "text/codes.ts": "text/hash.ts",
  "text/text-span.ts": "text/hash.ts text/is-object.ts",
  "text/json-equal.ts": "fast-deep-equal",
  scan: "text/characters.ts text/codes.ts text/hash.ts text/sign.ts text/text-span.ts languages",
  runaway: "text/characters.ts text/hash.ts",
  "text/json-patch.ts": "text/is-object.ts text/json-equal.ts",
  shapes: "text/is-object.ts text/nearest-name.ts text/parse-json.ts",
  config: `
    agents errors.ts removed.ts shapes text/nearest-name.ts text/glob.ts text/hash.ts
    text/without-end-slashes.ts policy
  `,
  "config-file": `
    text/glob.ts text/json-equal.ts text/parse-json.ts text/nearest-name.ts
    why-unreadable.ts errors.ts text/keyed-hash.ts node: config engine policy shapes yaml
  `,
  activity: "text/bounded-map.ts policy session shapes store",
  engine: `
    work.ts languages step.ts text/codes.ts text/glob.ts text/hash.ts text/is-object.ts text/text-span.ts mutable.ts
    text/reminders.ts text/sign.ts turns.ts scan
  `,
  policy: "step.ts errors.ts removed.ts text/nearest-name.ts text/parse-json.ts shapes engine",
  protocols: `
    work.ts languages step.ts text/is-object.ts text/parse-json.ts text/json-equal.ts
    text/text-span.ts sse errors.ts text/bytes.ts mutable.ts text/reminders.ts turns.ts
  `,
  judge: "text/bounded-map.ts step.ts text/parse-json.ts text/sign.ts engine policy protocols session store",
  store: "errors.ts even-share.ts shapes text/is-object.ts text/parse-json.ts",
  session: `
    work.ts agents text/is-object.ts text/parse-json.ts text/sign.ts step.ts even-share.ts text/text-span.ts turns.ts
    text/bytes.ts mutable.ts engine policy shapes store
  `,
  transport: "errors.ts text/bytes.ts text/loopback.ts hono",
  evaluation: `
    work.ts text/hash.ts text/bounded-map.ts agents text/sign.ts runaway activity step.ts text/bytes.ts turns.ts
    errors.ts config engine judge policy protocols session store
  `,
  proxy: `
    text/bounded-map.ts text/parse-json.ts text/without-end-slashes.ts runaway activity text/keyed-hash.ts
    text/bytes.ts errors.ts config evaluation judge policy protocols session store transport
  `,
  page: "engine",
  admin: `
    text/bounded-map.ts page shapes text/is-object.ts text/json-patch.ts text/keyed-hash.ts text/loopback.ts text/parse-json.ts
    turns.ts config errors.ts activity policy protocols proxy session store transport why-unreadable.ts
  `,
  "assembled-guard.ts": "config config-file text/keyed-hash.ts policy proxy store transport",
  "option-check.ts": "errors.ts assembled-guard.ts config policy shapes",
  "keep-configured.ts": "errors.ts admin config config-file proxy",
  "guard-app.ts": "proxy transport hono",
  "index.ts": "errors.ts assembled-guard.ts guard-app.ts option-check.ts config policy proxy store transport hono",
  "in-process": "errors.ts sse index.ts transport",
  "ai-sdk": "in-process @ai-sdk/provider",
  langchain: "policy in-process langchain @langchain/core",
  "engine-api.ts": "step.ts text/keyed-hash.ts engine policy session",
  "worker.ts": `
    version.ts admin errors.ts config assembled-guard.ts config-file protocols proxy store transport hono
  `,
  "watch-troubles.ts": "admin proxy store",
  "warm-up.ts": "assembled-guard.ts policy proxy store transport node: undici",
  "node.ts": `
    warm-up.ts watch-troubles.ts keep-configured.ts config-file version.ts config assembled-guard.ts policy
    admin page proxy store transport text/loopback.ts node: pino hono
  `,
  cli: `
    agents shapes text/without-end-slashes.ts config-file version.ts errors.ts config text/is-object.ts
    text/keyed-hash.ts why-unreadable.ts text/nearest-name.ts node.ts page step.ts policy protocols
    session commander jsonc-parser smol-toml yaml proxy node:
  `,
});
const leaves = words(`
  text/characters.ts text/bounded-map.ts text/hash.ts errors.ts removed.ts mutable.ts work.ts turns.ts
  even-share.ts text/nearest-name.ts why-unreadable.ts text/glob.ts text/without-end-slashes.ts
  text/loopback.ts text/is-object.ts text/reminders.ts text/sign.ts version.ts languages
  agents
`);

/** Entry points choose drivers, so they may reach past a door for one. */
const entryPoints = words(`
  assembled-guard.ts index.ts keep-configured.ts node.ts warm-up.ts watch-troubles.ts worker.ts
`);
const drivers = words(`
  admin/audit.ts admin/metrics/prometheus.ts admin/observers.ts page/files.ts
  store/memory/memory.ts store/durable-object/durable-object.ts store/redis/redis.ts store/resilient/resilient.ts
  transport/web.ts transport/node.ts transport/node-server.ts
`);

const platformFiles =
  /^(node\.ts|warm-up\.ts|worker\.ts|text\/(?:keyed-hash|bytes)\.ts|cli\/.*|config-file\/load\.ts|page\/files\.ts|admin\/(audit|metrics\/prometheus|telemetry|alerts\/webhook)\.ts|transport\/node[\w-]*\.ts|store\/(redis|durable-object)\/[\w.-]*\.ts)$/;
const platformPackages = words(`
  node: undici @hono/node-server ioredis cloudflare:workers @cloudflare/workers-types pino prom-client
  @opentelemetry/api @opentelemetry/core @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources
  @opentelemetry/sdk-trace-base
`);

const pureParts = words(`
  agents languages scan runaway engine policy protocols
`);
const impure: ReadonlySet<string> = new Set([
  "new Date()",
  ...words(`
    Date.now Date() Math.random performance crypto process fetch setTimeout setInterval setImmediate console
    globalThis navigator
  `),
]);

/** Which rooms of one part may import which others of it; the part's own files are imported by all, and import all. */
const roomsMayImport = listed({
  "engine/fingerprint": "engine/reading",
  "engine/reading": "engine/fingerprint",
  "engine/detectors": "engine/fingerprint engine/reading",
  "protocols/schema-fill": "protocols/json",
  "protocols/dialects": "protocols/json protocols/schema-fill",
  "protocols/answer": "protocols/json protocols/dialects",
  "protocols/chat-completions": "protocols/json protocols/dialects protocols/answer",
  "protocols/gemini": "protocols/json protocols/dialects protocols/answer",
  "protocols/messages": "protocols/json protocols/dialects protocols/answer",
  "protocols/ollama": "protocols/json protocols/answer protocols/chat-completions",
  "protocols/responses": "protocols/json protocols/dialects protocols/answer",
  "session/identity": "",
  "session/ledger": "session/identity",
  "evaluation/load": "evaluation/read",
  "evaluation/act": "evaluation/load evaluation/read",
  "evaluation/record": "evaluation/act evaluation/load evaluation/read",
  "proxy/http": "proxy/relay",
  "proxy/relay": "proxy/http",
  "proxy/intercept": "proxy/relay",
  "protocols/json": "",
  "evaluation/read": "",
  "admin/api": "",
  "admin/alerts": "",
  "admin/metrics": "",
});

const DOOR_NAMES = 25;

/** Doors that are wider than that today: none of them may grow. */
const wideDoors: Readonly<Record<string, number>> = {
  "engine/engine.ts": 51,
  "policy/policy.ts": 47,
  "protocols/protocols.ts": 32,
  "session/session.ts": 53,
};

/** Lines and files of each room at most; `.` is the top folder. Lowered freely: a change that raises one says what went for it. */
const budgets: Readonly<Record<string, readonly [lines: number, files: number]>> = {
  ".": [1460, 19],
  activity: [290, 2],
  admin: [2140, 18],
  agents: [130, 1],
  "ai-sdk": [420, 2],
  cli: [2140, 15],
  config: [370, 3],
  "config-file": [1090, 9],
  engine: [5520, 36],
  evaluation: [2270, 13],
  "in-process": [460, 3],
  judge: [930, 4],
  langchain: [210, 1],
  languages: [470, 10],
  page: [2220, 17],
  policy: [1990, 11],
  protocols: [6990, 37],
  proxy: [2130, 14],
  runaway: [640, 5],
  scan: [460, 5],
  session: [2370, 13],
  shapes: [440, 5],
  sse: [160, 1],
  store: [1550, 11],
  text: [480, 17],
  transport: [1390, 7],
};
/** Lines of all rooms together: less than their sum, so that a room can only borrow from another. */
const ALL_LINES = 38507;

function breaches(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => [
    ...layerBreaches(source),
    ...doorBreaches(source),
    ...roomBreaches(source),
    ...purityBreaches(source),
    ...platformBreaches(source),
    ...senderBreaches(source),
    ...rewriteBreaches(source),
    ...valueBreaches(source),
    ...unpaidBreaches(source),
  ]);
}

function layerBreaches(source: Source): readonly string[] {
  const part = partOf(source.file);
  const allowed = mayImport[part] ?? (leaves.includes(part) ? [] : undefined);
  if (allowed === undefined) return [`${source.file}: belongs to no part that the table knows`];
  const foreign = importsOf(source)
    .map(partOf)
    .filter((target) => target !== part);
  return foreign
    .filter(
      (target) => !allowed.includes(target) && !(platformFiles.test(source.file) && platformPackages.includes(target)),
    )
    .map((target) => `${source.file}: may not import ${target}`);
}

function doorBreaches(source: Source): readonly string[] {
  const part = partOf(source.file);
  const isDoor = (target: string): boolean =>
    [partOf(target), `${partOf(target)}/${partOf(target)}.ts`].includes(target);
  return importsOf(source)
    .filter((target) => target.includes("/") && target.endsWith(".ts") && partOf(target) !== part && !isDoor(target))
    .filter((target) => !(entryPoints.includes(source.file) && drivers.includes(target)))
    .map((target) => `${source.file}: reaches past the door of ${partOf(target)} for ${target}`);
}

function purityBreaches(source: Source): readonly string[] {
  if (!pureParts.includes(partOf(source.file))) return [];
  return identifiersIn(source)
    .filter((name) => impure.has(name))
    .map((name) => `${source.file}: is to be pure, but names ${name}`);
}

function roomBreaches(source: Source): readonly string[] {
  const room = roomOf(source.file);
  const allowed = roomsMayImport[room];
  if (allowed === undefined) return [];
  return importsOf(source)
    .filter((target) => partOf(target) === partOf(source.file))
    .map((target) => ({ target, to: roomOf(target) }))
    .filter(({ to }) => to !== room && to in roomsMayImport && !allowed.includes(to))
    .map(({ target }) => `${source.file} -> ${target}`);
}

function platformBreaches(source: Source): readonly string[] {
  if (platformFiles.test(source.file)) return [];
  const packages = importsOf(source).filter((target) => platformPackages.includes(target));
  const asks = /typeof (process|navigator|Deno|Bun|window|EdgeRuntime)\b|process\.versions|getRuntimeKey/.exec(
    codeOf(source.text),
  );
  return [
    ...packages.map((target) => `${source.file}: no platform here, but imports ${target}`),
    ...(asks === null ? [] : [`${source.file}: asks which runtime it is on (${asks[0]})`]),
  ];
}

const CATCHERS = ["proxy/guard.ts", "proxy/fail-open.ts", "evaluation/background.ts"];
const CATCHING_PARTS = ["proxy", "evaluation"];

function senderBreaches(source: Source): readonly string[] {
  const code = codeOf(source.text);
  const sends = /\btransport\.send\(/.test(code) && source.file !== "proxy/relay/forward.ts";
  const fetches =
    /(?<!async )(?<![.\w])fetch\(/.test(code) &&
    !/^(transport\/web[\w-]*\.ts|cli\/guard-health\.ts|page\/assets\/api\.js)$/.test(source.file);
  const catches =
    CATCHING_PARTS.includes(partOf(source.file)) && !CATCHERS.includes(source.file) && /\bcatch\b/.test(code);
  return [
    ...(sends || fetches ? [`${source.file}: only proxy/relay/forward.ts sends upstream`] : []),
    ...(catches ? [`${source.file}: only ${CATCHERS.join(", ")} turn a failure into "let it pass"`] : []),
  ];
}

/** Only these make a value of a text that a client, a model or an upstream has written, for who has work left; and no room casts what a store has. */
const VALUE_MAKERS = ["protocols/json/json.ts", "protocols/json/place.ts", "engine/fingerprint/canonical.ts"];
const UNCAST = ["activity", "admin", "judge", "session", "store"];

function valueBreaches(source: Source): readonly string[] {
  const { file, text } = source;
  const parses = /\bJSON\.parse\(/.test(codeOf(text)) || importsOf(source).includes("text/parse-json.ts");
  const isRead = ["engine", "protocols", "scan"].includes(partOf(file)) && !VALUE_MAKERS.includes(file);
  const isStored = UNCAST.includes(partOf(file)) && /\bJSON\.parse\(|readRecord\([^;]*\) as /.test(codeOf(text));
  return [
    ...(parses && isRead ? [`${file}: makes a value without work`] : []),
    ...(isStored ? [`${file}: takes what is stored for what it should be`] : []),
  ];
}

/** Rooms that look at what a client, a model or an upstream has written: each value there is `Json`, which takes work to make. */
const READERS = ["engine", "judge", "protocols", "runaway", "scan", "session"];

function unpaidBreaches(source: Source): readonly string[] {
  if (!READERS.includes(partOf(source.file))) return [];
  return exportsOfUnknown(source).map((name) => `${source.file}: ${name} looks at any value without work`);
}

/** What goes upstream is the client's text, or that text with edits spliced in; it is never printed anew. */
function rewriteBreaches(source: Source): readonly string[] {
  const printer = CATCHING_PARTS.includes(partOf(source.file));
  return printer && /JSON\.stringify/.test(codeOf(source.text))
    ? [`${source.file}: prints JSON where bytes must stay as they came`]
    : [];
}

describe("the five rules of the architecture", () => {
  const sources = readSources();

  it("hold for every source file", () => {
    expect(sources.length).toBeGreaterThan(30);
    expect(breaches(sources)).toEqual([]);
  });

  it("allow no import that no file needs", () => {
    const needed = new Set(
      sources.flatMap((source) => importsOf(source).map((target) => `${partOf(source.file)} -> ${partOf(target)}`)),
    );
    const allowed = Object.entries(mayImport).flatMap(([part, targets]) =>
      targets.map((target) => `${part} -> ${target}`),
    );
    expect(allowed.filter((one) => !needed.has(one))).toEqual([]);
  });

  it("keep every room within its budget of lines and files", () => {
    const sizes = roomSizes();
    const over = Object.entries(sizes).filter(([room, [lines, files]]) => {
      const [mostLines = 0, mostFiles = 0] = budgets[room] ?? [];
      return lines > mostLines || files > mostFiles;
    });
    expect(over).toEqual([]);
    expect(Object.keys(budgets).filter((room) => !(room in sizes))).toEqual([]);
    expect(Object.values(sizes).reduce((sum, [lines]) => sum + lines, 0)).toBeLessThanOrEqual(ALL_LINES);
  });

  it("keep doors narrow, and let none that is wide grow", () => {
    const doors = sources.filter(({ file }) => file === `${partOf(file)}/${partOf(file)}.ts`);
    const widths = Object.fromEntries(doors.map((door) => [door.file, exportsOf(door).length]));
    const wide = Object.fromEntries(Object.entries(widths).filter(([, width]) => width > DOOR_NAMES));
    expect(wide).toEqual(wideDoors);
  });

  // The wire formats answer the same questions in the same words.
  it("give each exported value a name of its own, but for what the wire formats have in common", () => {
    const own = /^protocols\/(?:chat-completions|gemini|messages|ollama|responses)\//;
    const entries = /^(?:index|ai-sdk\/ai-sdk|langchain\/langchain)\.ts$/;
    const names = sources
      .filter(({ file }) => file.endsWith(".ts") && !own.test(file) && !entries.test(file))
      .flatMap(({ text }) =>
        [...codeOf(text).matchAll(/^export (?:async )?(?:function\*?|const|let) (\w+)/gm)].map(([, name = ""]) => name),
      );
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it("give each exported type a name of its own", () => {
    const names = sources.flatMap(({ text }) =>
      [...codeOf(text).matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(([, name = ""]) => name),
    );
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it.each([
    ["engine/detectors/x.ts", 'import { memoryStores } from "../../store/memory/memory.ts";'],
    ["engine/detectors/x.ts", 'import type { SessionStore } from "../../store/store.ts";'],
    ["judge/x.ts", "const score = await fetch(url);"],
    ["proxy/relay/x.ts", 'import { intercept } from "../intercept/intercept.ts";'],
    ["engine/detectors/x.ts", "export const at = new Date();"],
    ["protocols/x.ts", 'console.log("seen");'],
    ["proxy/x.ts", 'const late = await import("../engine/fingerprint.ts");'],
    ["proxy/x.ts", 'import { Buffer } from "node:buffer";'],
    ["session/x.ts", 'const node = typeof process !== "undefined";'],
    ["proxy/x.ts", "await transport.send(request, sink);"],
    ["proxy/x.ts", "try { run(); } catch { pass(); }"],
    ["proxy/x.ts", "const body = JSON.stringify(JSON.parse(text));"],
    ["protocols/x.ts", "const value = JSON.parse(text);"],
    ["protocols/x.ts", "export function sizeOf(value: readonly unknown[]) {}"],
    ["engine/x.ts", "export const sizeOf = (value: Readonly<Record<string, unknown>>) => 1;"],
    ["activity/x.ts", "const one = readRecord(shape, text) as Loop;"],
    ["helpers/x.ts", "export {};"],
  ])("see the breach in %s: %s", (file, text) => {
    expect(breaches([{ file, text }])).not.toEqual([]);
  });
});
