import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { type Asked, ask, chat, conversation, embeddings, ways } from "./rig.ts";

/* As long as users have reported: more than five minutes within an answer, more than ten before it. By the clock, so `.ci/full` plays it. */

const minutes = 60_000;
const event = 'data: {"a":1}\n\n';

const rows: readonly { name: string; asked: Asked; before: number; within: number }[] = [
  { name: "within a stream", asked: chat, before: 0, within: 5.5 * minutes },
  { name: "before a stream", asked: chat, before: 10.5 * minutes, within: 0 },
  {
    name: "before an answer in one piece",
    asked: { ...chat, body: chat.body.replace(',"stream":true', "") },
    before: 10.5 * minutes,
    within: 0,
  },
  { name: "elsewhere", asked: { path: "/v1/images/generations", body: "{}" }, before: 10.5 * minutes, within: 0 },
  { name: "within an answer elsewhere", asked: embeddings, before: 0, within: 5.5 * minutes },
];

it("silence passes by as it does directly", { timeout: 13 * minutes }, async () => {
  const waits = new Map(rows.map(({ name, before, within }) => [name, { before, within }]));
  const { guard } = await ways(
    async ({ headers }, outgoing) => {
      const { before = 0, within = 0 } = waits.get(String(headers["x-row"])) ?? {};
      await sleep(before);
      outgoing.writeHead(200, { "content-type": "text/event-stream" }).write(event);
      await sleep(within);
      outgoing.end(event);
    },
    {},
    (_, socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n");
      socket.on("error", () => undefined).pipe(socket);
    },
  );
  const tunnelled = async () => {
    const { socket, until } = conversation(guard);
    socket.write("GET /v1/realtime HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n");
    await until("101");
    await sleep(5.5 * minutes);
    socket.write("still here");
    await until("still here");
  };
  const [heard] = await Promise.all([
    Promise.all(rows.map(({ name, asked }) => ask(guard, { ...asked, fields: { "x-row": name } }))),
    tunnelled(),
  ]);
  for (const [at, { status, bytes, end }] of heard.entries())
    expect([rows[at]?.name, status, String(bytes), end]).toEqual([rows[at]?.name, 200, event + event, "whole"]);
});
