import { createServer } from "node:http";

/**
 * The model behind the guard, a process of its own so that what it reads holds up nobody who measures. It answers every
 * chat request with `Done.`, but for those of a wrong key (401), and sends an endless answer to who asks for one.
 */
const WRONG_KEY = /wrong/;
const CHUNK = Buffer.alloc(64 * 1024, "x");

const server = createServer((incoming, response) => {
  incoming.resume();
  incoming.on("end", () => answer(incoming, response));
  incoming.on("error", () => response.destroy());
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));

function answer(incoming, response) {
  if (WRONG_KEY.test(incoming.headers.authorization ?? "")) {
    response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"message":"wrong key"}}');
  } else if (incoming.url?.includes("endless") === true) endless(response);
  else {
    const message = { role: "assistant", content: "Done." };
    const body = {
      id: "chatcmpl-1",
      object: "chat.completion",
      model: "m",
      choices: [{ index: 0, message, finish_reason: "stop" }],
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  }
}

function endless(response) {
  response.writeHead(200, { "content-type": "application/octet-stream" });
  const more = () => {
    while (!response.destroyed && response.write(CHUNK));
  };
  response.on("drain", more);
  more();
}
