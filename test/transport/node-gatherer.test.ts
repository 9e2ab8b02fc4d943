import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { nodeTransport } from "../../src/transport/node.ts";
import { tickGatherer } from "../../src/transport/node-relay.ts";
import { abortable, type AnswerSink } from "../../src/transport/transport.ts";
import { rawConnection, transportRig } from "../contracts/transport-rig.ts";

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const END = "0\r\n\r\n";
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const events = Array.from({ length: 200 }, (_, i) => `data: ${i}\n\n`);
const burst = events.map(chunk).join("");

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** An upstream that says what it is told to on its bare socket; gives its URL. */
async function upstream(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => answer(socket));
    open.push(() => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(() => server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

type Told = readonly ["head" | "write" | "end" | "fail", string?];

/** What a sink is told of an answer. @param patience after so many turns of the event loop it takes the next piece */
async function toldOf(
  answer: (socket: Socket) => void,
  { patience = 0, signal = abortable(), told = (_: Told): unknown => undefined } = {},
) {
  const heard: Told[] = [];
  const tell = (...one: Told) => {
    heard.push(one);
    told(one);
  };
  const sink: AnswerSink = {
    head: () => tell("head"),
    write(bytes) {
      tell("write", Buffer.from(bytes).toString());
      return patience === 0 ? undefined : turns(patience);
    },
    end: () => tell("end"),
    fail: () => tell("fail"),
  };
  const transport = nodeTransport();
  open.push(() => void transport.close());
  const origin = await upstream(answer);
  await transport.send({ method: "GET", origin, path: "/", fields: {}, body: undefined, signal }, sink);
  return heard;
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await setImmediate();
}

describe("what of an answer arrives at once", () => {
  it("is handed on as one piece, and its end behind it", async () => {
    const told = await toldOf((socket) => socket.write(HEAD + burst + END));
    expect(told).toEqual([["head"], ["write", events.join("")], ["end"]]);
  });

  it("does not wait for what comes later", async () => {
    let upstreams: Socket | undefined;
    const told = await toldOf(
      (socket) => {
        upstreams = socket;
        socket.write(HEAD + chunk("data: 1\n\n") + chunk("data: 2\n\n"));
      },
      // The rest is only sent once the beginning has been handed on.
      { told: ([, text = ""]) => text.startsWith("data: 1") && upstreams?.write(chunk("data: 3\n\n") + END) },
    );
    expect(told).toEqual([["head"], ["write", "data: 1\n\ndata: 2\n\n"], ["write", "data: 3\n\n"], ["end"]]);
  });

  it("is handed on before the failure that arrives with it", async () => {
    const told = await toldOf((socket) => socket.write(`${HEAD}${burst}no chunk\r\n`));
    expect(told).toEqual([["head"], ["write", events.join("")], ["fail"]]);
  });

  it.each([
    { name: "", rest: "" },
    { name: ", though its end arrives with it", rest: END },
  ])("is handed on before the abort that its reader asks for$name", async ({ rest }) => {
    const signal = abortable();
    const told = await toldOf((socket) => socket.write(HEAD + burst + rest), {
      signal,
      told: ([kind]) => kind === "write" && signal.abort(new Error("enough")),
    });
    expect(told).toEqual([["head"], ["write", events.join("")], ["fail"]]);
  });

  it("waits as long as its reader asks for patience, and stays whole and in order", async () => {
    const pieces = fc.array(fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 40 }), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 1, max: 3 }), async (writes, patience) => {
        let waiting = false;
        let interrupted = false;
        let number = 0;
        const texts = writes.map((sizes) => sizes.map((size) => `${number++} `.padEnd(size, "x")));
        const told = await toldOf(
          async (socket) => {
            socket.write(HEAD);
            for (const write of texts) {
              socket.write(write.map(chunk).join(""));
              await turns(1);
            }
            socket.write(END);
          },
          {
            patience,
            told([kind]) {
              interrupted ||= waiting && kind === "write";
              if (kind !== "write") return;
              waiting = true;
              void turns(patience - 1).then(() => {
                waiting = false;
              });
            },
          },
        );
        expect(told.map(([, text = ""]) => text).join("")).toBe(texts.flat().join(""));
        expect(told.at(-1)).toEqual(["end"]);
        expect(interrupted).toBe(false);
      }),
    );
  });
});

describe("a source that was told to pause", () => {
  const gathered = async (finishes: boolean) => {
    const told: string[] = [];
    let ready = () => {};
    const gatherer = tickGatherer(
      (bytes) => {
        told.push(Buffer.from(bytes).toString());
        return new Promise((resolve) => {
          ready = resolve;
        });
      },
      { pause: () => told.push("pause"), resume: () => told.push("resume") },
    );
    gatherer.add(Buffer.from("a"));
    gatherer.add(Buffer.from("b"));
    await turns(1);
    gatherer.add(Buffer.from("c"));
    if (finishes) gatherer.finish();
    for (let i = 0; i < 2; i++) {
      ready();
      await turns(1);
    }
    return told;
  };

  it("goes on when all it has given is taken", async () => {
    expect(await gathered(false)).toEqual(["ab", "pause", "c", "pause", "resume"]);
  });

  it("is let alone once it is at its end, since its connection may serve another answer by then", async () => {
    expect(await gathered(true)).toEqual(["ab", "pause", "c"]);
  });
});

describe("an answer's first bytes", () => {
  const rig = transportRig(nodeTransport);

  it("leave in one packet with its head", async () => {
    const url = await rig.proxy(await upstream((socket) => socket.write(HEAD + chunk("data: 1\n\n"))));
    const { socket } = rawConnection(url);
    socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    const [packet] = await once(socket, "data");
    expect(String(packet)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*data: 1\n\n/);
    socket.destroy();
  });
});
