import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { request } from "undici";
import { assembledGuard } from "./assembled-guard.ts";
import type { Policy } from "./policy/policy.ts";
import type { Log } from "./proxy/proxy.ts";
import { areInMemory, memoryStores } from "./store/memory/memory.ts";
import { nodeTransport } from "./transport/node.ts";

/** CPU time of the process that it may use, compilation included: with less, the first requests cost more. */
const CPU_MS = 500;
/** Longest duration, for a machine that is busy otherwise. */
const LONGEST_MS = 4 * CPU_MS;
const TURNS_PER_RUN = 20;

/**
 * Plays made-up healthy runs through a guard of its own, on loopback, so that real requests meet compiled code. Nothing of them is
 * kept or reported, and it ends with `stop`. Never rejects.
 */
export async function warmUp(policy: Policy, stop: AbortSignal, log: Log): Promise<void> {
  const [begun, before] = [performance.now(), process.cpuUsage()];
  const isEnough = () => {
    const { user, system } = process.cpuUsage(before);
    return stop.aborted || (user + system) / 1_000 >= CPU_MS || performance.now() - begun >= LONGEST_MS;
  };
  await playUntil(isEnough, policy).catch((cause: unknown) => log.warn({ cause: String(cause) }, "warm-up-failed"));
}

async function playUntil(isEnough: () => boolean, policy: Policy): Promise<void> {
  const [transport, stores] = [nodeTransport(), memoryStores({ maxEntries: 100, maxBytes: 1_000_000 })];
  let next: object = {};
  const model = await listening((incoming, outgoing) => {
    const data = JSON.stringify({ choices: [{ index: 0, message: next, delta: next, finish_reason: "tool_calls" }] });
    const isStream = incoming.headers.accept === "text/event-stream";
    outgoing.setHeader("content-type", isStream ? "text/event-stream" : "application/json");
    incoming.resume().on("end", () => outgoing.end(isStream ? `data: ${data}\n\ndata: [DONE]\n\n` : data));
  });
  const guard = assembledGuard({ policy, stores, transport, upstream: urlOf(model) }, areInMemory);
  const server = await listening((incoming, outgoing) => transport.take(incoming, outgoing, guard));
  try {
    for (let at = 0, messages: object[] = []; !isEnough(); at++) {
      if (at % TURNS_PER_RUN === 0) messages = [{ role: "user", content: `Mend the import of ledger ${at}.` }];
      const stream = Math.floor(at / TURNS_PER_RUN) % 2 === 1;
      const body = JSON.stringify({ model: "none", stream, messages });
      const call = { name: "read", arguments: `{"path":"src/part-${at}.ts"}` };
      const toolCall = { index: 0, id: `call_${at}`, type: "function", function: call };
      next = { role: "assistant", content: null, tool_calls: [toolCall] };
      const headers = { "content-type": "application/json", ...(stream && { accept: "text/event-stream" }) };
      const answer = await request(`${urlOf(server)}/v1/chat/completions`, { method: "POST", headers, body });
      await answer.body.dump();
      const content = Array.from({ length: 14 }, (_, row) => `${row}\tconst cell${at} = row[${row * at}];`).join("\n");
      messages.push(next, { role: "tool", tool_call_id: `call_${at}`, content });
    }
  } finally {
    await transport.close();
    for (const one of [server, model]) one.close().closeAllConnections();
  }
}

async function listening(listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
