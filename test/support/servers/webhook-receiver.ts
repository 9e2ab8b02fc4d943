import { bodyOf } from "./http.ts";
import { serverOf } from "./of-test.ts";

export async function receiver(...statuses: readonly number[]) {
  const got: { body: string; signature: string | undefined }[] = [];
  const url = await serverOf(async (request, response) => {
    const signature = request.headers["x-unloop-signature"]?.toString();
    got.push({ body: String(await bodyOf(request)), signature });
    response.writeHead(statuses[got.length - 1] ?? 200).end();
  });
  return { url: new URL(url), got };
}
