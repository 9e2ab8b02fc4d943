import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Attack } from "./attacks.ts";
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
      { model: "m", messages: [{ role: "user", content: "x".repeat(bytes) }] },
      key === "" ? {} : { authorization: key },
    );
  const [small, large] = [await ask(100_000, ""), await ask(1_000_000, "Bearer another")];
  for (const { socket } of sockets) socket.destroy();
  return `${refused} refused with 503; 100 KB without a key ${small.status}, 1 MB behind another key ${large.status}`;
}

const bodies: Attack = {
  name: "5: unfinished bodies",
  async run(dist) {
    const target = await startTarget(dist);
    const before = target.rssMb();
    const { most, value } = await peak(target, () => unfinished(target));
    const came = `${tell(before, most, target)}; ${value}`;
    await target.stop();
    return [["25 unfinished bodies of 32 MB", came]];
  },
};

const manyCalls = (session: number) => {
  const messages: unknown[] = [{ role: "user", content: `go ${session}` }];
  for (let turn = 0; turn < 64; turn++) {
    const ids = Array.from({ length: 32 }, (_, i) => `call_${session}_${turn}_${i}`);
    messages.push({
      role: "assistant",
      content: null,
      tool_calls: ids.map((id, i) => ({
        id,
        type: "function",
        function: { name: "read", arguments: `{"path":"f${turn}-${i}"}` },
      })),
    });
    for (const [i, id] of ids.entries())
      messages.push({ role: "tool", tool_call_id: id, content: `text ${turn} ${i}` });
  }
  return JSON.stringify({ model: "m", messages });
};

const sessions: Attack = {
  name: "5: many sessions of many calls",
  async run(dist) {
    const rows: [string, string][] = [];
    const target = await startTarget(dist);
    const before = target.rssMb();
    const { most } = await peak(target, async () => {
      for (let i = 0; i < 300; i++) await chat(target, manyCalls(i), { "x-unloop-session": `s-${i}` });
    });
    rows.push([
      `300 sessions of 64 × 32 calls (${(manyCalls(0).length / 1000).toFixed(0)} KB each)`,
      tell(before, most, target),
    ]);
    const full = target.rssMb();
    const { most: mostOfAll, value } = await peak(target, () => unfinished(target));
    rows.push(["and then 25 unfinished bodies of 32 MB", `${tell(full, mostOfAll, target)}; ${value}`]);
    await target.stop();
    const small = await startTarget(dist, {}, ["--max-old-space-size=72"]);
    let count = 0;
    for (; count < 300 && !small.exited(); count++)
      await chat(small, manyCalls(count), { authorization: `Bearer wrong-${count}` }).catch(() => undefined);
    rows.push([
      "the same with a wrong key, heap of 72 MB",
      small.exited()
        ? `the process ends at request ${count}`
        : `${count} requests, ${small.rssMb().toFixed(0)} MB, alive`,
    ]);
    await small.stop();
    return rows;
  },
};

/** A budget that is spent stays so. */
const strangers: Attack = {
  name: "7: strangers with a wrong key",
  async run(dist) {
    const policy = JSON.stringify({ extends: "default", budget: { steps: 3 } });
    const target = await startTarget(dist, { UNLOOP_STORE_BYTES: "1048576", UNLOOP_POLICY: policy }).catch(
      () => undefined,
    );
    if (target === undefined) return [["a budget of steps", "policy not understood"]];
    const run = Array.from({ length: 6 }, (_, i) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: `c${i}`, type: "function", function: { name: "read", arguments: `{"path":"${i}"}` } }],
      },
      { role: "tool", tool_call_id: `c${i}`, content: `text ${i}` },
    ]).flat();
    const whole = { model: "m", messages: [{ role: "user", content: "go" }, ...run] };
    const headers = { authorization: "Bearer right", "x-unloop-session": "spent" };
    const newest = { model: "m", messages: [{ role: "user", content: "go" }, ...run.slice(-2)] };
    // Of a run that no upstream has let in nothing is kept.
    await chat(target, { ...whole, messages: whole.messages.slice(0, 3) }, headers);
    await chat(target, whole, headers);
    const before = await chat(target, newest, headers);
    const rss = target.rssMb();
    for (let i = 0; i < 10_000; i += 16)
      await Promise.all(
        Array.from({ length: 16 }, (_, j) =>
          chat(
            target,
            { ...whole, messages: [{ role: "user", content: `go ${i + j}` }, ...run] },
            { authorization: `Bearer wrong-${i + j}` },
          ),
        ),
      );
    const after = await chat(target, newest, headers);
    const came = `${before.verdict}(${before.detector}) before, ${after.verdict}(${after.detector}) after; ${rss.toFixed(0)} -> ${target.rssMb().toFixed(0)} MB`;
    await target.stop();
    return [["10,000 requests with wrong keys, 300 sessions kept, a spent budget", came]];
  },
};

export const swelling: readonly Attack[] = [bodies, sessions, strangers];
