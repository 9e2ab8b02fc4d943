import { request } from "node:http";

/** Answer of a guard to one small request. */
export interface GuardAnswer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: string;
}

/** Longer answers are cut: only their beginning is looked at. In bytes. */
const MAX_ANSWER = 512 * 1024;

/** HTTP request to a guard, with what it is to be told as JSON, if anything. Undefined where none answers in time. */
export function askGuard(
  guard: string,
  path: string,
  {
    headers = {},
    json,
    timeoutMs = 10_000,
  }: { readonly headers?: Readonly<Record<string, string>>; readonly json?: object; readonly timeoutMs?: number } = {},
): Promise<GuardAnswer | undefined> {
  return new Promise((resolve) => {
    const sent =
      json === undefined ? {} : { method: "POST", headers: { ...headers, "content-type": "application/json" } };
    const outgoing = request(new URL(path, guard), { headers, timeout: timeoutMs, agent: false, ...sent }, (answer) => {
      const header = (name: string) => {
        const value = answer.headers[name];
        return value === undefined ? undefined : String(value);
      };
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (piece: string) => {
        text += piece;
        if (text.length > MAX_ANSWER) answer.destroy();
      });
      answer.once("close", () => resolve({ status: answer.statusCode ?? 0, header, text }));
    });
    // An upgrade that is accepted comes without an answer.
    outgoing.once("upgrade", (answer, socket) => {
      socket.destroy();
      resolve({ status: answer.statusCode ?? 101, header: () => undefined, text: "" });
    });
    outgoing.once("timeout", () => outgoing.destroy());
    outgoing.once("error", () => resolve(undefined));
    outgoing.end(json === undefined ? undefined : JSON.stringify(json));
  });
}
