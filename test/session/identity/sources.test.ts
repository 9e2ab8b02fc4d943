import { describe, expect, it } from "vitest";
import { sessionSources, sharedSources } from "../../../src/session/identity/sources.ts";
import { identify } from "../../../src/session/session.ts";
import type { Conversation } from "../../../src/step.ts";
import { sign } from "../../support/builders/detection.ts";
import { evidence, type Said } from "../../support/builders/evidence.ts";
import { call, conversation, heard, numbered } from "../../support/builders/steps.ts";

const told = numbered(conversation([heard("Fix a."), call("read", {}, "x")]));
const silent: Conversation = { system: "", opening: [], steps: [] };
const id = "0199c0de-7e57-4a11-8bad-f00d5e551017";

function who(said: Said, about = told) {
  return identify(evidence(said), about, sign);
}

function named(said: Said, about = told) {
  const { session, source } = who(said, about);
  return source === "derived" ? "derived" : `${source} ${session}`;
}

/** The body that has a value at a path. */
function bodyWith(path: string, value: unknown): Readonly<Record<string, unknown>> {
  const [first = "", ...rest] = path.split(".");
  return { [first]: rest.length === 0 ? value : bodyWith(rest.join("."), value) };
}

/** Places that any value names a session in, with any client. */
const plain = [...sessionSources, ...sharedSources].filter(({ name, read }) => {
  const [kind = "", place = ""] = name.split(/:(.*)/s);
  const said = kind === "header" ? { headers: { [place]: id } } : { body: bodyWith(place, id) };
  return kind !== "url" && read(evidence(said)) === id;
});
const placesOf = (kind: string) =>
  plain.flatMap(({ name }) => (name.startsWith(`${kind}:`) ? name.slice(kind.length + 1) : []));
const [headers, fields] = [placesOf("header"), placesOf("body")];

describe("a session is named by", () => {
  it.each(headers)("the header %s", (name) => {
    expect(named({ headers: { [name]: id } })).toBe(`header:${name} ${id}`);
    expect(named({ headers: { [name]: "run-7" } })).toBe(`header:${name} run-7`);
  });

  it.each(fields)("the body's %s", (path) => {
    expect(named({ body: bodyWith(path, id) })).toBe(`body:${path} ${id}`);
  });

  it.each([
    { name: "the path", said: { path: id }, expected: `url:/session/ ${id}` },
    { name: "the query", said: { query: { session_id: id } }, expected: `url:?session_id ${id}` },
    {
      name: "Codex's window, without its number",
      said: { headers: { "x-codex-window-id": `${id}:12` } },
      expected: `header:x-codex-window-id ${id}`,
    },
    { name: "a number in the body", said: { body: { chat_id: 4711 } }, expected: "body:chat_id 4711" },
  ])("$name", ({ said, expected }) => expect(named(said)).toBe(expected));

  it.each(["session_id", "thread_id"])("Codex's metadata in the body, at %s", (key) => {
    const path = "client_metadata.x-codex-turn-metadata";
    const body = { client_metadata: { "x-codex-turn-metadata": JSON.stringify({ [key]: id, turn_id: "t" }) } };
    expect(named({ body })).toBe(`body:${path} ${id}`);
  });

  it.each([
    JSON.stringify({ device_id: "d", account_uuid: "a", session_id: id }),
    `user_${"ab12".repeat(16)}_account_0f0f_session_${id}`,
  ])("Anthropic's metadata.user_id, as %s", (user) => {
    expect(named({ body: { metadata: { user_id: user } } })).toBe(`body:metadata.user_id ${id}`);
  });
});

describe("any vendor's header", () => {
  it.each([
    { name: "x-acme-parent-session-id", value: id },
    { name: "x-acme-request-id", value: id },
    { name: "x-livekit-session-id", value: "inference_0a1b2c3d4e5f" },
    { name: "x-acme-session-id", value: "short" },
  ])("$name with $value does not", ({ name, value }) => expect(named({ headers: { [name]: value } })).toBe("derived"));
});

describe("a trace", () => {
  const traces: readonly (readonly [string, Said])[] = [
    ["header:traceparent", { headers: { traceparent: `00-${"4b".repeat(16)}-00f067aa0ba902b7-01` } }],
    ["header:langsmith-trace", { headers: { "langsmith-trace": "20260101T000000000000Zab.20260101T000001000000Zcd" } }],
  ];

  it.each(traces)("%s is no session where the conversation tells", (_, said) => expect(named(said)).toBe("derived"));

  it.each(traces)("%s is one where nothing else does", (source, said) => {
    expect(who(said, silent).source).toBe(source);
  });
});

describe("the first of several counts", () => {
  const order: readonly Said[] = [
    { headers: { "x-unloop-session": "ours-1" } },
    { path: "path-1" },
    { headers: { "x-session-id": "generic-1" } },
    { headers: { "x-litellm-session-id": "litellm-1" } },
    { body: { metadata: { user_id: '{"session_id":"anthropic-1"}' } } },
    { body: { session_id: "body-1" } },
    { body: { prompt_cache_key: "key-1" } },
  ];
  const merged = (from: number): Said => ({
    headers: Object.assign({}, ...order.slice(from).map((said) => said.headers)),
    query: Object.assign({}, ...order.slice(from).map((said) => said.query)),
    body: Object.assign({}, ...order.slice(from).map((said) => said.body)),
    ...(from > 1 ? {} : { path: "path-1" }),
  });

  it.each(order.map((said, i) => ({ name: JSON.stringify(said), said, i })))("$name before all below", ({ said, i }) =>
    expect(named(merged(i))).toBe(named(said)),
  );
});

describe("no session is named by", () => {
  const control = String.fromCharCode(7);
  it.each(["", "  ", "null", "None", `a${control}b`, "会話", "x".repeat(257), "true", "000"])(
    "the value %j, wherever it stands",
    (value) => {
      for (const name of headers) expect(named({ headers: { [name]: value } })).toBe("derived");
      for (const path of fields) expect(named({ body: bodyWith(path, value) })).toBe("derived");
      expect(named({ path: value, query: { session_id: value } })).toBe("derived");
    },
  );

  it.each([
    { name: "user", said: { body: { user: id } } },
    { name: "metadata.user_id that is a user", said: { body: { metadata: { user_id: id } } } },
    { name: "metadata.user_id that only sounds alike", said: { body: { metadata: { user_id: "bob_session_1" } } } },
    ...["x-user-id", "x-request-id", "helicone-session-path", "originator"].map((name) => ({
      name: `the header ${name}`,
      said: { headers: { [name]: id } },
    })),
  ])("$name", ({ said }) => expect(named(said)).toBe("derived"));

  it.each([
    { name: "JSON that is broken", text: '{"session_id":"s-1"' },
    { name: "JSON that is huge", text: JSON.stringify({ session_id: "s-1", more: "x".repeat(8_192) }) },
    { name: "what an object inherits", text: '{"__proto__":{"session_id":"s-1"}}' },
  ])("$name", ({ text }) => {
    for (const name of ["x-codex-turn-metadata", "x-portkey-metadata", "cf-aig-metadata", "x-tfy-metadata"])
      expect(named({ headers: { [name]: text } })).toBe("derived");
    expect(named({ body: { metadata: { user_id: text } } })).toBe("derived");
  });
});
