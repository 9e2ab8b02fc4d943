import { UnloopError } from "../../errors.ts";
import { turn } from "../../turns.ts";
import { ApiError, badRequest } from "./context.ts";

/**
 * A request's body as JSON; that alone is read: what a form of another site could send is refused.
 * @param take told of each piece before it is kept; what it throws ends the reading
 * @param most of what is read, in bytes
 */
export async function jsonBody(request: Request, take: (bytes: number) => void, most: number): Promise<unknown> {
  const { headers } = request;
  if (!/^application\/json *(?:;|$)/i.test(headers.get("content-type") ?? ""))
    throw badRequest("Send the body as content-type: application/json.");
  if (Number(headers.get("content-length") ?? 0) > most) throw tooLarge(most);
  const text = await textOf(request, take, most);
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

async function textOf({ body, signal }: Request, take: (bytes: number) => void, most: number): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    while (reader !== undefined) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > most) throw tooLarge(most);
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

function tooLarge(most: number): ApiError {
  const message = `The body is larger than ${most} bytes. Send less at once, or raise UNLOOP_READ_BUDGET_BYTES.`;
  return new ApiError(413, "body_too_large", message);
}
