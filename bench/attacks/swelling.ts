import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { chat, startTarget, type Target } from "./rig.ts";

const MB = 1024 * 1024;

/** The most resident memory while something is done. */
async function peak<T>(target: Target, run: () => Promise<T>): Promise<{ most: number; value: T }> {
  let most = target.rssMb();
  const timer = setInterval(() => {
    const now = target.rssMb();
    if (now > most) most = now;
  }, 20);
  const value = await run();
  clearInterval(timer);
  return { most, value };
}

const tell = (before: number, most: number, target: Target) =>
  `${before.toFixed(0)} -> ${most.toFixed(0)} MB${target.exited() ? ", the process is gone" : ""}`;

/** Bodies of which the last byte never comes, and other clients' calls. */
async function unfinished(target: Target): Promise<string> {
  const { hostname, port } = new URL(target.url);
  const piece = Buffer.alloc(32 * MB - 1, 0x20);
  piece[0] = 0x7b;
  const sockets = Array.from({ length: 25 }, () => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    let said = "";
    socket.on("data", (data) => {
      said = String(data).slice(9, 12);
    });
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${32 * MB}\r\n\r\n`,
    );
    socket.write(piece);
    return { socket, status: () => said };
  });
  await pause(8_000);
  const refused = sockets.filter(({ status }) => status() === "503").length;
  const ask = (bytes: number, key: string) =>
    chat(
      target,
      JSON.stringify({ model: "m", messages: [{ role: "user", content: "x".repeat(bytes) }] }),
      key === "" ? {} : { authorization: key },
    );
  const [small, large] = [await ask(100_000, ""), await ask(1_000_000, "Bearer another")];
  for (const { socket } of sockets) socket.destroy();
  return `${refused} refused with 503; 100 KB without a key ${small.status}, 1 MB behind another key ${large.status}`;
}

type Rows = readonly (readonly [what: string, came: string])[];

async function bodies(dist: string): Promise<Rows> {
  const target = await startTarget(dist);
  const before = target.rssMb();
  const { most, value } = await peak(target, () => unfinished(target));
  const came = `${tell(before, most, target)}; ${value}`;
  await target.stop();
  return [["25 unfinished bodies of 32 MB", came]];
}

/** 64 turns of 32 calls. */
function manyCalls(session: number): string {
  const turns = Array.from({ length: 64 }, (_, turn) => {
    const calls = Array.from({ length: 32 }, (_, i) => ({
      ...{ id: `call_${session}_${turn}_${i}`, type: "function" },
      function: { name: "read", arguments: `{"path":"f${turn}-${i}"}` },
    }));
    const results = calls.map(({ id }, i) => ({ role: "tool", tool_call_id: id, content: `text ${turn} ${i}` }));
    return [{ role: "assistant", content: null, tool_calls: calls }, ...results];
  });
  return JSON.stringify({ model: "m", messages: [{ role: "user", content: `go ${session}` }, ...turns.flat()] });
}

async function sessions(dist: string): Promise<Rows> {
  const target = await startTarget(dist);
  const before = target.rssMb();
  const { most } = await peak(target, async () => {
    for (let i = 0; i < 300; i++) await chat(target, manyCalls(i), { "x-unloop-session": `s-${i}` });
  });
  const came = tell(before, most, target);
  await target.stop();
  const small = await startTarget(dist, ["--max-old-space-size=72"]);
  let count = 0;
  for (; count < 300 && !small.exited(); count++)
    await chat(small, manyCalls(count), { authorization: `Bearer wrong-${count}` });
  const end = small.exited()
    ? `the process ends at request ${count}`
    : `${count} requests, ${small.rssMb().toFixed(0)} MB, alive`;
  await small.stop();
  return [
    ["300 sessions of 64 × 32 calls", came],
    ["the same with a wrong key, heap of 72 MB", end],
  ];
}

/** What becomes of the memory of a guard. */
export const memory = async (dist: string): Promise<Rows> => [...(await bodies(dist)), ...(await sessions(dist))];
