import { describe, expect, it } from "vitest";
import { standardSettings } from "../../src/config/config.ts";
import { ask, streamedRequests, ways } from "./rig.ts";

describe("silence of the upstream", () => {
  it("is waited out for an hour, before an answer and within it", () => {
    expect(standardSettings).toMatchObject({ firstByteTimeoutMs: 3_600_000, idleTimeoutMs: 3_600_000 });
  });

  it.each(streamedRequests)(
    "that is too long ends a stream with the error event of its format ($wire)",
    async (asked) => {
      const isLines = asked.wire === "ollama";
      const said = isLines ? '{"message":{"role":"assistant","content":"a"},"done":false}\n' : 'data: {"a":1}\n\n';
      const { guard } = await ways(
        (_, outgoing) => {
          outgoing.writeHead(200, { "content-type": isLines ? "application/x-ndjson" : "text/event-stream" });
          outgoing.write(said);
        },
        { UNLOOP_IDLE_TIMEOUT_MS: "100" },
      );
      const { status, bytes, end } = await ask(guard, asked);
      expect([status, end]).toEqual([200, "whole"]);
      expect(String(bytes).startsWith(said)).toBe(true);
      const last = String(bytes).slice(said.length);
      const event = JSON.parse(last.replace(/^event: error\n/, "").replace(/^data: /, ""));
      expect(JSON.stringify(event)).toContain("fell silent");
    },
  );
});
