import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { describe, expect, it, vi } from "vitest";
import { nodeTransport } from "../../src/transport/node.ts";
import { answerTo } from "../contracts/transport-rig.ts";
import { bodyOf } from "../support/servers/http.ts";

describe("nodeTransport in somebody else's app, served in node-server's own way", () => {
  const complaints = vi.spyOn(console, "error");

  it.each(["GET", "HEAD", "POST"])("answers %s once, and the next request too", async (method) => {
    const transport = nodeTransport();
    const guard = new Hono().all("*", (context) =>
      transport.accept(context, async ({ answer, target }) => {
        answer.head(200, { "content-length": "2", "x-target": target });
        answer.write(Buffer.from("ok"));
        answer.end();
      }),
    );
    const server = serve({ fetch: new Hono().route("/llm", guard).fetch, port: 0, hostname: "127.0.0.1" });
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/llm/v1/models`;
    for (let i = 0; i < 2; i += 1) {
      const answer = await answerTo(url, { method });
      expect([answer.statusCode, answer.headers["x-target"]]).toEqual([200, "/v1/models"]);
      expect(String(await bodyOf(answer))).toBe(method === "HEAD" ? "" : "ok");
    }
    // node-server prints what it fails at, such as a second head.
    expect(complaints).not.toHaveBeenCalled();
    server.close();
    await transport.close();
  });
});
