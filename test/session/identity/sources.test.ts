import { describe, expect, it } from "vitest";
import { sessionSources, sharedSources } from "../../../src/session/identity/sources.ts";
import { identify } from "../../../src/session/session.ts";
import { sign } from "../../support/builders/detection.ts";
import { evidence, type Said } from "../../support/builders/evidence.ts";
import { call, conversation, heard, numbered } from "../../support/builders/steps.ts";

const told = numbered(conversation([heard("Fix a."), call("read", {}, "x")]));
const id = "0199c0de-7e57-4a11-8bad-f00d5e551017";

function who(said: Said, about = told) {
  return identify(evidence(said), about, sign);
}

function named(said: Said, about = told) {
  const { session, source } = who(said, about);
  return source === "derived" ? "derived" : `${source} ${session}`;
}

function bodyWith(path: string, value: unknown): Readonly<Record<string, unknown>> {
  const [first = "", ...rest] = path.split(".");
  return { [first]: rest.length === 0 ? value : bodyWith(rest.join("."), value) };
}

const plain = [...sessionSources, ...sharedSources].filter(({ name, read }) => {
  const [kind = "", place = ""] = name.split(/:(.*)/s);
  const said = kind === "header" ? { headers: { [place]: id } } : { body: bodyWith(place, id) };
  return kind !== "url" && read(evidence(said)) === id;
});
const placesOf = (kind: string) =>
  plain.flatMap(({ name }) => (name.startsWith(`${kind}:`) ? name.slice(kind.length + 1) : []));
const [headers, fields] = [placesOf("header"), placesOf("body")];

describe("a session is named by", () => {
  it("each header and field that agents and gateways use", () => {
    for (const value of [id, "run-7"])
      for (const name of headers) expect(named({ headers: { [name]: value } })).toBe(`header:${name} ${value}`);
    for (const path of fields) expect(named({ body: bodyWith(path, id) })).toBe(`body:${path} ${id}`);
    expect([headers.length > 40, fields.length > 15]).toEqual([true, true]);
  });

  const codex = "client_metadata.x-codex-turn-metadata";
  const inCodex = (key: string): Said => ({ body: bodyWith(codex, JSON.stringify({ [key]: id, turn_id: "t" })) });
  const inUser = (user: string): Said => ({ body: { metadata: { user_id: user } } });
  it.each<{ name: string; said: Said; expected: string }>([
    { name: "the path", said: { path: id }, expected: `url:/session/ ${id}` },
    { name: "the query", said: { query: { session_id: id } }, expected: `url:?session_id ${id}` },
    { name: "a number in the body", said: { body: { chat_id: 4711 } }, expected: "body:chat_id 4711" },
    { name: "Codex's metadata in the body", said: inCodex("session_id"), expected: `body:${codex} ${id}` },
    {
      name: "Anthropic's user id as JSON",
      said: inUser(JSON.stringify({ device_id: "d", session_id: id })),
      expected: `body:metadata.user_id ${id}`,
    },
    {
      name: "Anthropic's older user id",
      said: inUser(`user_${"ab12".repeat(16)}_account_0f0f_session_${id}`),
      expected: `body:metadata.user_id ${id}`,
    },
  ])("$name", ({ said, expected }) => expect(named(said)).toBe(expected));
});

it("of several the first counts: ours, the path, generic headers, gateways', and the body's fields in turn", () => {
  const order: readonly Said[] = [
    { headers: { "x-unloop-session": "ours-1" } },
    { path: "path-1" },
    { headers: { "x-session-id": "generic-1" } },
    { headers: { "x-litellm-session-id": "litellm-1" } },
    { body: { metadata: { user_id: '{"session_id":"anthropic-1"}' } } },
    { body: { session_id: "body-1" } },
    { body: { prompt_cache_key: "key-1" } },
  ];
  for (const [i, said] of order.entries()) {
    const rest = order.slice(i);
    const merged: Said = {
      headers: Object.assign({}, ...rest.map((one) => one.headers)),
      body: Object.assign({}, ...rest.map((one) => one.body)),
      ...(i > 1 ? {} : { path: "path-1" }),
    };
    expect(named(merged)).toBe(named(said));
  }
});

describe("no session is named by", () => {
  const control = String.fromCharCode(7);
  it.each(["", "null", `a${control}b`, "会話", "x".repeat(257), "true", "000"])(
    "the value %j, wherever it stands",
    (value) => {
      for (const name of headers) expect(named({ headers: { [name]: value } })).toBe("derived");
      for (const path of fields) expect(named({ body: bodyWith(path, value) })).toBe("derived");
      expect(named({ path: value, query: { session_id: value } })).toBe("derived");
    },
  );

  it.each<{ name: string; said: Said }>([
    { name: "user", said: { body: { user: id } } },
    { name: "metadata.user_id that is a user", said: { body: { metadata: { user_id: id } } } },
    { name: "metadata.user_id that only sounds alike", said: { body: { metadata: { user_id: "bob_session_1" } } } },
    ...["x-user-id", "x-request-id", "originator", "x-acme-parent-session-id", "x-acme-request-id"].map((name) => ({
      name: `the header ${name}`,
      said: { headers: { [name]: id } },
    })),
    { name: "an attempt of LiveKit's", said: { headers: { "x-livekit-session-id": "inference_0a1b2c3d4e5f" } } },
    { name: "a vendor's header that is no id", said: { headers: { "x-acme-session-id": "short" } } },
    ...[
      '{"session_id":"s-1"',
      '{"__proto__":{"session_id":"s-1"}}',
      `{"session_id":"s","b":"${"x".repeat(8_192)}"}`,
    ].map((text) => ({
      name: `JSON that is ${text.slice(0, 20)}`,
      said: {
        headers: { "x-codex-turn-metadata": text, "x-portkey-metadata": text },
        body: { metadata: { user_id: text } },
      },
    })),
  ])("$name", ({ said }) => expect(named(said)).toBe("derived"));
});
