import { UnloopError } from "../../errors.ts";
import { turn } from "../../turns.ts";
import { ApiError, badRequest } from "./context.ts";

/** As much as one guarded request makes the guard read. In bytes. */
const MAX_BODY = 12 * 1024 * 1024;

/**
 * A request's body as JSON; that alone is read: what a form of another site could send is refused.
 * @param take told of each piece before it is kept; what it throws ends the reading
 */
export async function jsonBody(request: Request, take: (bytes: number) => void): Promise<unknown> {
  const { headers } = request;
  if (!/^application\/json *(?:;|$)/i.test(headers.get("content-type") ?? ""))
    throw badRequest("Send the body as content-type: application/json.");
  if (Number(headers.get("content-length") ?? 0) > MAX_BODY) throw tooLarge();
  const text = await textOf(request, take);
  await turn();
  const value = parsed(text);
  await turn();
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest("The body is not valid JSON.");
  }
}

async function textOf({ body, signal }: Request, take: (bytes: number) => void): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    while (reader !== undefined) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > MAX_BODY) throw tooLarge();
      take(value.byteLength);
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    throw signal.aborted ? new UnloopError("client_gone", "The client hung up before its body was complete.") : error;
  } finally {
    // Not cancelled: that would close the connection on which the answer is still due.
    reader?.releaseLock();
  }
  return text + decoder.decode();
}

function tooLarge(): ApiError {
  return new ApiError(413, "body_too_large", `The body is larger than ${MAX_BODY} bytes. Send less at once.`);
}
