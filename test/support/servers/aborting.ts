import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import { unloop, type UnloopOptions } from "../../../src/index.ts";
import { nodeTransport } from "../../../src/transport/node.ts";
import { listen } from "../../../src/transport/node-server.ts";
import { bodyOf, closing, listening } from "./http.ts";

/** A guard on real sockets whose clients leave in the middle, and a model that sees them go. */
export interface Aborting {
  /** One exchange of a thread that is about to loop; its client leaves while a call is held, or during the second question. */
  exchange(leaves: "held" | "asked again"): Promise<void>;
  /** Requests upstream so far, and those of them that are still open. */
  upstream(): { readonly asked: number; readonly open: number };
  close(): Promise<void>;
}

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "c1", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const called = { name: "send_message", arguments: '{"text":"hello"}' };
const word = chunk({ role: "assistant", content: "So: " });
const call = chunk({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: called }] });
const history = [
  { role: "user", content: "Tell them." },
  { role: "assistant", tool_calls: [{ id: "call_0", type: "function", function: called }] },
  { role: "tool", tool_call_id: "call_0", content: "Sent." },
];

export async function aborting(options: Partial<UnloopOptions> = {}): Promise<Aborting> {
  let asked = 0;
  let open = 0;
  /** By the number that each exchange has. */
  const waiting = new Map<string, { again: () => void; gone: () => void }>();
  const answer = (body: string, response: ServerResponse) => {
    const number = /"user":"(\d+)"/.exec(body)?.[1] ?? "";
    const leaves = /"metadata":\{"leaves":"(held|asked again)"\}/.exec(body)?.[1];
    asked += 1;
    open += 1;
    response.on("close", () => {
      open -= 1;
      if (!response.writableEnded) waiting.get(number)?.gone();
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (body.includes("[unloop]")) waiting.get(number)?.again();
    else if (leaves === "held") response.write(word + call);
    else response.end(`${word}${call}${chunk({}, "tool_calls")}data: [DONE]\n\n`);
  };
  const server = createServer(async (incoming, response) => answer(String(await bodyOf(incoming)), response));
  const transport = nodeTransport();
  const guard = await listen(unloop({ upstream: await listening(server), transport, ...options }), {
    host: "127.0.0.1",
    port: 0,
  });
  let next = 0;
  return {
    async exchange(leaves) {
      const user = String(next++);
      const gone = new Promise<void>((resolve) => waiting.set(user, { again: () => client.destroy(), gone: resolve }));
      const client = request(`${guard.url}/v1/chat/completions`, { method: "POST", agent: false });
      client.on("error", () => undefined);
      client.end(JSON.stringify({ stream: true, user, metadata: { leaves }, messages: history }));
      const [response] = await once(client, "response");
      response.on("error", () => undefined);
      await once(response, "data");
      if (leaves === "held") client.destroy();
      await gone;
      waiting.delete(user);
    },
    upstream: () => ({ asked, open }),
    async close() {
      await guard.drain(0);
      await transport.close();
      await closing(server);
    },
  };
}
