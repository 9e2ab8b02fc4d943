import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { answerTo } from "../contracts/transport-rig.ts";
import { bodyOf } from "../support/servers/http.ts";
import { looping } from "../support/agents/scripts.ts";
import type { Script } from "../support/servers/upstream.ts";
import { agent, verdictsOf } from "./agent.ts";
import { type GuardRig, guardRig, storesWith } from "./guard-rig.ts";

const body = Buffer.from('{"stream":true,"messages":[{"role":"user","content":"hi"}]}');
const chunk = 'data: {"choices":[{"index":0,"delta":{"content":"half"}}]}\n\n';
const stream = { kind: "raw", status: 200, fields: { "content-type": "text/event-stream" }, pieces: [chunk] } as const;

/** A stream that stays open at first; what comes after it is a loop. */
const hangsOnce: Script = (asked, index) =>
  index === 0 ? { ...stream, ending: "hang" } : looping("nothing")(asked, index);

function begun({ url }: Pick<GuardRig, "url">) {
  return answerTo(`${url}/v1/chat/completions`, { method: "POST", pieces: [body] });
}

const exchangesOf = ({ logged }: GuardRig) => logged.filter(({ event }) => event === "exchange");

describe("a client that hangs up within its answer", () => {
  it("ends the request upstream and is logged, and the guard goes on", async () => {
    const rig = await guardRig(hangsOnce);
    const answer = await begun(rig);
    expect(answer.headers["x-unloop-verdict"]).toBe("ok");
    await once(answer, "data");
    answer.destroy();
    await vi.waitFor(() => expect(rig.upstream.requests[0]?.aborted).toBe(true));
    await vi.waitFor(() => expect(exchangesOf(rig)).toMatchObject([{ status: 200, broke: "client_gone" }]));
    const climb = ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"];
    expect(verdictsOf(await agent(rig).turns(7))).toEqual(climb);
  });

  it("is logged when it had not even got a head", async () => {
    let asked = () => {};
    const arrived = new Promise<void>((resolve) => {
      asked = resolve;
    });
    // A read that takes until the client has left.
    const gone = new AbortController();
    const rig = await guardRig(looping("nothing"), {
      storeDeadlineMs: 60_000,
      stores: storesWith({
        async read() {
          asked();
          await once(gone.signal, "abort");
          return undefined;
        },
      }),
    });
    const response = fetch(`${rig.url}/v1/chat/completions`, { method: "POST", body, signal: gone.signal });
    await arrived;
    gone.abort();
    await expect(response).rejects.toThrow();
    await vi.waitFor(() => expect(exchangesOf(rig)).toMatchObject([{ broke: "client_gone" }]));
  });
});

describe("an upstream that dies within its answer", () => {
  it.each([
    { name: "an event stream", fields: { "content-type": "text/event-stream" } },
    { name: "JSON of known length", fields: { "content-type": "application/json", "content-length": "1000" } },
  ])("is an abort for the client and never a clean end: $name", async ({ fields }) => {
    const rig = await guardRig(() => ({ ...stream, fields, ending: "cut" }));
    const answer = await begun(rig);
    await expect(bodyOf(answer)).rejects.toThrow("aborted");
    await vi.waitFor(() => expect(exchangesOf(rig)).toMatchObject([{ status: 200, broke: "upstream_broke_off" }]));
  });
});
