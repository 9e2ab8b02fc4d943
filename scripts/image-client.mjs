// A scripted model and an agent on the official SDK, for `scripts/image.sh`: what is between them is the built image.
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import OpenAI from "openai";

const [, , role, place] = process.argv;
if (role === "model") serveModel(place);
else await runAgent(place);

/** Makes the same call for ever. Writes its URL to a file. */
function serveModel(file) {
  let calls = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      calls += 1;
      const call = {
        id: `call_${calls}_${Date.now()}`,
        type: "function",
        function: { name: "search", arguments: '{"q":"x"}' },
      };
      const message = { role: "assistant", content: null, tool_calls: [call] };
      const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ id: `chatcmpl-${calls}`, object: "chat.completion", created: 1, model: "scripted", choices }),
      );
    });
  });
  server.listen(0, "127.0.0.1", () => writeFileSync(file, `http://127.0.0.1:${server.address().port}`));
}

async function runAgent(guard) {
  const started = Date.now();
  while (!(await isUp(guard))) {
    if (Date.now() - started > 30_000) throw new Error("the guard in the image did not start within 30 seconds");
    await sleep(20);
  }
  console.log(`image: healthy after ${Date.now() - started} ms`);
  const client = new OpenAI({ baseURL: `${guard}/v1`, apiKey: "none" });
  const messages = [{ role: "user", content: "Find x." }];
  const verdicts = [];
  for (let turn = 0; turn < 10; turn++) {
    const { data, response } = await client.chat.completions.create({ model: "scripted", messages }).withResponse();
    verdicts.push(response.headers.get("x-unloop-verdict"));
    const { message, finish_reason } = data.choices[0];
    messages.push(message);
    if (finish_reason === "stop") break;
    for (const { id } of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: id, content: "nothing found" });
  }
  console.log(`image: verdicts of a run that loops: ${verdicts.join(", ")}`);
  if (verdicts[0] !== "ok" || verdicts.at(-1) !== "short-circuit")
    throw new Error("the guard in the image did not end the loop");
}

async function isUp(guard) {
  try {
    return (await fetch(`${guard}/unloop/healthz`)).ok;
  } catch {
    // Not listening yet.
    return false;
  }
}
