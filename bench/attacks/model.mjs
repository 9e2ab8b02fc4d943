import { createServer } from "node:http";

/**
 * The model behind the guard, a process of its own so that what it reads holds up nobody who measures. It answers every
 * chat request with `Done.`, but for those of a wrong key (401).
 */
const WRONG_KEY = /wrong/;

const server = createServer((incoming, response) => {
  incoming.resume();
  incoming.on("end", () => answer(incoming.headers.authorization ?? "", response));
  incoming.on("error", () => response.destroy());
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));

const message = { role: "assistant", content: "Done." };
const body = {
  ...{ id: "chatcmpl-1", object: "chat.completion", model: "m" },
  choices: [{ index: 0, message, finish_reason: "stop" }],
};

function answer(key, response) {
  const [status, said] = WRONG_KEY.test(key) ? [401, { error: { message: "wrong key" } }] : [200, body];
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(said));
}
