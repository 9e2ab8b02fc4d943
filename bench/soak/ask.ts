import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

/** When a client hangs up. */
export interface Leaving {
  readonly since: "the request" | "the first byte";
  readonly ms: number;
}

/** One answer as it came over the wire; times in milliseconds since the request was sent. */
export interface Received {
  /** 0 when no head came. */
  readonly status: number;
  readonly fields: IncomingHttpHeaders;
  readonly body: Buffer;
  /** It came to its end: as many bytes as were announced, or the last chunk. */
  readonly isWhole: boolean;
  readonly firstMs: number | undefined;
  readonly ms: number;
  /** The client hung up. */
  readonly hasLeft: boolean;
  /** Why there is no answer, or only a part. */
  readonly failure: string | undefined;
}

export interface Question {
  readonly port: number;
  readonly agent: Agent;
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
  readonly leaving: Leaving | undefined;
}

/** An answer that takes longer will not come any more. */
const PATIENCE_MS = 60_000;

/** Never rejects. */
export function ask({ port, agent, fields, body, leaving }: Question): Promise<Received> {
  const start = performance.now();
  const pieces: Buffer[] = [];
  let answer: IncomingMessage | undefined;
  let firstMs: number | undefined;
  let hasLeft = false;
  let failure: string | undefined;
  const timers: NodeJS.Timeout[] = [];
  const headers = { ...fields, "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const asking = request({ port, host: "127.0.0.1", method: "POST", path: "/v1/chat/completions", agent, headers });
  const after = (ms: number, act: () => void) => void timers.push(setTimeout(act, ms));
  const leave = () => {
    hasLeft = true;
    asking.destroy();
  };
  const fail = (error: NodeJS.ErrnoException) => {
    failure ??= error.code ?? error.message;
  };
  asking.on("error", fail);
  asking.on("response", (incoming) => {
    answer = incoming;
    incoming.on("error", fail);
    incoming.on("data", (piece: Buffer) => {
      if (firstMs === undefined && leaving?.since === "the first byte") after(leaving.ms, leave);
      firstMs ??= performance.now() - start;
      pieces.push(piece);
    });
  });
  if (leaving?.since === "the request") after(leaving.ms, leave);
  after(PATIENCE_MS, () => asking.destroy(new Error("no answer for a minute")));
  return new Promise((resolve) => {
    asking.once("close", () => {
      for (const timer of timers) clearTimeout(timer);
      const { statusCode: status = 0, headers: got = {}, complete: isWhole = false } = answer ?? {};
      const [ms, bytes] = [performance.now() - start, Buffer.concat(pieces)];
      resolve({ status, fields: got, body: bytes, isWhole, firstMs, ms, hasLeft: hasLeft && !isWhole, failure });
    });
    asking.end(body);
  });
}
