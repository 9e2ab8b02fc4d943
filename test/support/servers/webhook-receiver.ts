import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { bodyOf, closing, listening } from "./http.ts";

export async function receiver(...statuses: readonly number[]) {
  const got: { body: string; signature: string | undefined }[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const signature = request.headers["x-unloop-signature"];
      got.push({ body: body.toString(), signature: signature === undefined ? undefined : String(signature) });
      response.writeHead(statuses[got.length - 1] ?? 200).end();
    });
  });
  onTestFinished(() => closing(server));
  return { url: new URL(await listening(server)), got };
}
