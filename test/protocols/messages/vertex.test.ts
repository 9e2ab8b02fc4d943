import { describe, expect, it } from "vitest";
import { messages as protocol } from "../../../src/protocols/messages/messages.ts";
import { protocolFor } from "../../../src/protocols/protocols.ts";
import { protocolVariant } from "../../contracts/protocol.ts";
import { vertexWire } from "../../support/wires/vertex.ts";

protocolVariant(vertexWire(false), false);
protocolVariant(vertexWire(true), true);

describe("Anthropic's models on Vertex", () => {
  const models = "/v1/projects/p/locations/global/publishers/anthropic/models";
  const at = (path: string) => protocolFor("POST", path)?.name;

  it.each([
    { path: `${models}/claude-opus-4-5@20251101:rawPredict`, name: "messages" },
    { path: `${models}/claude-opus-4-5%4020251101:streamRawPredict`, name: "messages" },
    { path: `/prefix${models}/claude:rawPredict`, name: "messages" },
    { path: `${models}/count-tokens:rawPredict`, name: undefined },
    { path: `${models}/claude:predict`, name: undefined },
    { path: `${models}/claude`, name: undefined },
    { path: "/v1/projects/p/locations/global/publishers/mistralai/models/m:rawPredict", name: undefined },
    { path: "/model/anthropic.claude-sonnet-4-5/invoke", name: undefined },
  ])("$path is read as $name", ({ path, name }) => {
    expect(at(path)).toBe(name);
  });

  it.each([
    { target: `${models}/claude-opus-4-5@20251101:rawPredict`, model: "claude-opus-4-5@20251101", streams: false },
    { target: `${models}/claude%40x:streamRawPredict?alt=sse`, model: "claude@x", streams: true },
  ])("tell in the URL what the body does not: $target", ({ target, model, streams }) => {
    const body = JSON.stringify({ anthropic_version: "vertex-2023-10-16", messages: [{ role: "user", content: "q" }] });
    expect(protocol.parse(body, target)).toMatchObject({ model, streams });
  });
});
