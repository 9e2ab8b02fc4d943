import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openaiClients } from "../clients/openai.ts";
import { answerTo } from "../contracts/transport-rig.ts";
import { agent } from "../proxy/agent.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import { startWranglerDev, type WranglerDev } from "../support/servers/wrangler-dev.ts";
import { type Front, openFront } from "./front.ts";

const clients = openaiClients.filter(
  ({ name }) => name.startsWith("openai create") || name === "openai runTools, streamed",
);
const maxSteps = 14;
const hi = Buffer.from('{"stream":true,"messages":[{"role":"user","content":"hi"}]}');
const stream = { kind: "raw", status: 200, fields: { "content-type": "text/event-stream" } } as const;

let state: string;
let front: Front;
let dev: WranglerDev;

const start = () =>
  startWranglerDev({
    state,
    env: { UNLOOP_UPSTREAM: front.url, UNLOOP_STORE_DEADLINE_MS: "5000", UNLOOP_LOG: "debug" },
  });

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "unloop-objects-"));
  front = await openFront();
  dev = await start();
}, 120_000);

afterAll(async () => {
  await dev?.kill();
  await front?.close();
  await rm(state, { recursive: true, force: true });
});

describe("wrangler dev", () => {
  it("passes a healthy run's bytes unchanged both ways", async () => {
    const upstream = await front.behind(healthy(3));
    const turns = await agent({ url: dev.url, upstream, extra: { stream: true } }).turns(4);
    expect(turns.map(({ received }) => received[0]?.bytes.toString())).toEqual(turns.map(({ sent }) => sent));
    expect(turns.map(({ text }) => text)).toEqual(turns.map(({ received }) => received[0]?.answer.toString()));
  });

  it("hands on a stream's first piece before there is a last one", async () => {
    await front.behind(() => ({ ...stream, pieces: ["data: {}\n\n"], ending: "hang" }));
    const answer = await answerTo(`${dev.url}/v1/chat/completions`, { method: "POST", pieces: [hi] });
    expect(String(await once(answer, "data"))).toBe("data: {}\n\n");
    answer.destroy();
  });

  it.each(clients)("makes $name throw when the upstream dies within its answer", async (client) => {
    const piece =
      'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"half"},"finish_reason":null}]}\n\n';
    await front.behind(({ json }) =>
      (json as { stream?: boolean }).stream === true
        ? { ...stream, pieces: [piece], ending: "cut" }
        : {
            ...stream,
            fields: { "content-type": "application/json" },
            pieces: ['{"id":"c","choices":[{'],
            ending: "cut",
          },
    );
    const { error, finalText } = await client.run({ baseURL: `${dev.url}/v1`, maxSteps });
    expect([finalText, error]).toEqual(["", expect.any(Error)]);
  });

  it("goes on where it was after everything was killed in the middle of a run", async () => {
    const upstream = await front.behind(looping("nothing"));
    const lines = (session: string | null) =>
      dev
        .output()
        .split("\n")
        .filter((line) => line.includes('"recorded"') && line.includes(`"${session}"`));
    // What is still being written when everything is killed is lost with it. After the third turn a new process counts anew.
    const recorded = (session: string | null, turn: number) =>
      expect.poll(() => lines(session).length, { timeout: 10_000 }).toBeGreaterThan(turn % 3);
    /** A run whose requests tell no more than the last turn: what came before is known to the objects alone. */
    const verdictsOf = async (session: string, inTheMiddle: () => Promise<void>) => {
      const run = agent({ url: () => dev.url, upstream, headers: { "x-unloop-session": session } });
      const verdicts: (string | null)[] = [];
      for (let turn = 0; turn < 6; turn += 1) {
        if (turn === 3) await inTheMiddle();
        const { headers } = await run.turn();
        verdicts.push(headers.get("x-unloop-verdict"));
        await recorded(headers.get("x-unloop-session"), turn);
        run.summarise(2);
      }
      return verdicts;
    };
    const uninterrupted = await verdictsOf("whole", async () => undefined);
    expect(uninterrupted.slice(3).filter((verdict) => verdict !== "ok")).not.toEqual([]);
    const restart = async () => {
      await dev.kill();
      dev = await start();
    };
    expect(await verdictsOf("killed", restart)).toEqual(uninterrupted);
  });
});
