import { describe, expect, it } from "vitest";
import { ask, type Asked, bothWays, streamedRequests, ways } from "./rig.ts";

const [chat] = streamedRequests;
const embeddings = { path: "/v1/embeddings", body: '{"input":"a"}' };

describe("a header of 64 KB", () => {
  it.each([
    { name: "in one field of a guarded request", asked: { ...chat, fields: { "x-a": "a".repeat(64_000) } } },
    { name: "in one field elsewhere", asked: { ...embeddings, fields: { cookie: "a".repeat(64_000) } } },
    { name: "in a long query", asked: { ...embeddings, path: `/v1/embeddings?q=${"a".repeat(64_000)}` } },
  ] as readonly { name: string; asked: Asked }[])("passes $name", async ({ asked }) => {
    const rig = await ways((_, outgoing) => outgoing.end("{}"));
    const [direct, guarded] = await bothWays(rig, asked);
    expect(guarded).toEqual(direct);
    expect(rig.arrived[1]?.target).toBe(rig.arrived[0]?.target);
    expect(rig.arrived[1]?.fields).toMatchObject(asked.fields ?? {});
  });

  it.each([{ ...chat }, { ...embeddings, wire: "none" }])("passes in an answer ($wire)", async (asked) => {
    const fields = { "content-security-policy": "a".repeat(64_000) };
    const rig = await ways((_, outgoing) => outgoing.writeHead(200, fields).end("{}"));
    const [direct, guarded] = await bothWays(rig, asked);
    expect(guarded).toEqual(direct);
  });
});

describe("a header beyond the limit is told with its cure", () => {
  it("in a request", async () => {
    const { guard, arrived } = await ways((_, outgoing) => outgoing.end(), { UNLOOP_MAX_HEADER_BYTES: "20000" });
    const { status, bytes } = await ask(guard, { ...chat, fields: { "x-a": "a".repeat(30_000) } });
    expect([status, arrived.length]).toEqual([431, 0]);
    expect(JSON.parse(String(bytes)).error).toMatchObject({
      code: "header_too_large",
      message: expect.stringMatching(/larger than 20000 bytes\. .*UNLOOP_MAX_HEADER_BYTES/),
    });
  });

  it("in an answer", async () => {
    const fields = { "x-a": "a".repeat(30_000) };
    const rig = await ways((_, outgoing) => outgoing.writeHead(200, fields).end(), {
      UNLOOP_MAX_HEADER_BYTES: "20000",
    });
    const { status, bytes } = await ask(rig.guard, chat);
    expect(status).toBe(502);
    expect(JSON.parse(String(bytes)).error).toMatchObject({
      code: "answer_header_too_large",
      message: expect.stringContaining("UNLOOP_MAX_HEADER_BYTES"),
    });
  });
});
