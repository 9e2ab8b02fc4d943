import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Attack } from "./attacks.ts";
import { ask, chat, startTarget, type Target } from "./rig.ts";

const HELLO = { model: "m", messages: [{ role: "user", content: "hi" }] };

async function sockets(target: Target, count: number, head: string, each?: Buffer): Promise<readonly Socket[]> {
  const { hostname, port } = new URL(target.url);
  const opened: Socket[] = [];
  for (let i = 0; i < count; i++) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.write(head);
    if (each !== undefined) socket.write(each);
    opened.push(socket);
    if (i % 64 === 63) await pause(5);
  }
  return opened;
}

const open = (all: readonly Socket[]) =>
  all.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length;
const destroy = (all: readonly Socket[]) => {
  for (const socket of all) socket.destroy();
};

const head = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

/** Uploads that are never finished, and another client. */
const stalled: Attack = {
  name: "3: stalled connections",
  async run(dist) {
    const target = await startTarget(dist);
    const uploads = await sockets(target, 1_024, `${head("/v1/files", 1_000_000)}x`);
    await pause(500);
    const other = await chat(target, HELLO).then(
      ({ status, ms }) => `${status} after ${ms.toFixed(0)} ms`,
      (error: unknown) => String(error),
    );
    destroy(uploads);
    await target.stop();
    return [["1,024 stalled uploads, then another client's call", other]];
  },
};

const slow: Attack = {
  name: "3: unfinished bodies, unread answers",
  async run(dist) {
    const target = await startTarget(dist, { UNLOOP_IDLE_TIMEOUT_MS: "2000" });
    const guarded = await sockets(target, 10, `${head("/v1/chat/completions", 1_000)}{`);
    const passed = await sockets(target, 10, `${head("/v1/files", 1_000)}{`);
    const { hostname, port } = new URL(target.url);
    const unread = Array.from({ length: 50 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => undefined);
      socket.pause();
      socket.write("GET /v1/endless HTTP/1.1\r\nhost: x\r\n\r\n");
      return socket;
    });
    await pause(90_000);
    for (const socket of [...guarded, ...passed]) socket.resume();
    await pause(200);
    const rows: [string, string][] = [
      ["10 unfinished guarded bodies after 90 s", `${open(guarded)} open`],
      ["10 unfinished other bodies after 90 s", `${open(passed)} open`],
      [
        "50 unread answers after 90 s",
        `${target.rssMb().toFixed(0)} MB, ${await upstreamSockets(target)} sockets open`,
      ],
    ];
    destroy([...guarded, ...passed, ...unread]);
    await target.stop();
    return rows;
  },
};

async function upstreamSockets({ pid }: Target): Promise<number> {
  const { readdirSync, readlinkSync } = await import("node:fs");
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith("socket:");
    } catch {
      return false;
    }
  }).length;
}

const terminating: Attack = {
  name: "12: SIGTERM behind a stalled upload",
  async run(dist) {
    const target = await startTarget(dist);
    const uploads = await sockets(target, 1, `${head("/v1/files", 1_000_000)}x`);
    await ask(`${target.url}/unloop/healthz`, { method: "GET" });
    await pause(200);
    const ms = await target.terminate();
    destroy(uploads);
    await target.stop();
    return [["one stalled upload, SIGTERM", `ended after ${(ms / 1000).toFixed(1)} s`]];
  },
};

export const crowding: readonly Attack[] = [stalled, slow, terminating];
