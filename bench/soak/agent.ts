import { Agent } from "node:http";
import { isOwn, type Message, readAnswer } from "./answer.ts";
import { ask, type Leaving, type Received } from "./ask.ts";
import { conversation } from "./conversation.ts";
import { ASKED, ASKING, askingText, RUN, SAID, signature } from "./fields.ts";
import { isLooping, type Kind } from "./kinds.ts";
import type { Exchange, Run } from "./run.ts";

/** An agent in its run, with a connection of its own. */
export interface Running {
  /** Sends the next request. Resolves to false when the run has ended with its answer. */
  next(leaving: Leaving | undefined): Promise<boolean>;
  /** How many requests were answered. */
  turn(): number;
  told(): Run;
  /** Closes the connection. */
  end(): void;
}

export function running(kind: Kind, name: string, port: number): Running {
  const connection = new Agent({ keepAlive: true, maxSockets: 1 });
  const talk = conversation(kind, name);
  const exchanges: Exchange[] = [];
  let ending: Run["ending"] = "cut";
  let isRetry = false;
  let turn = 0;

  function after(received: Received, message: Message | undefined): boolean {
    if (received.hasLeft) {
      // What an answer that nobody waited for has led to is the next request's business, and no script's.
      ending = "left";
      isRetry = !isLooping(kind) && !isRetry;
      return isRetry;
    }
    isRetry = false;
    if (message === undefined) ending = "broken";
    else if (message.calls.length === 0) ending = "answered";
    else {
      turn += 1;
      talk.hear(message);
      if (turn < kind.requests) return true;
      ending = "gave up";
    }
    return false;
  }

  return {
    async next(leaving) {
      const body = talk.body();
      const at = Date.now();
      const fields = fieldsOf(kind, name, turn, isRetry);
      const received = await ask({ port, agent: connection, fields, body, leaving });
      const { exchange, message } = judged(received, { body, stream: kind.stream, name });
      exchanges.push({ ...exchange, at, isRetry });
      return after(received, message);
    },
    turn: () => turn,
    told: () => ({ kind: kind.name, name, exchanges, ending }),
    end: () => connection.destroy(),
  };
}

function fieldsOf(kind: Kind, name: string, turn: number, isRetry: boolean): Record<string, string> {
  return {
    authorization: "Bearer sk-soak-0000000000000000",
    "accept-encoding": "identity",
    "x-stainless-retry-count": isRetry ? "1" : "0",
    [ASKING]: askingText({ kind, run: name, turn }),
    ...(kind.tells === "last turn" ? { "x-unloop-session": `soak-${name}` } : {}),
  };
}

interface Sent {
  readonly body: string;
  readonly stream: boolean;
  readonly name: string;
}

function judged(received: Received, sent: Sent): { exchange: Omit<Exchange, "at" | "isRetry">; message?: Message } {
  const { status, fields, body, hasLeft, firstMs, ms } = received;
  const ownMs = Number(/unloop;dur=([\d.]+)/.exec(String(fields["server-timing"]))?.[1]);
  const left = !hasLeft ? undefined : status === 0 ? "before the head" : "within the answer";
  const common = { ms, firstMs, verdict: verdictIn(fields), ownMs, left } as const;
  const nothing = { ...common, answer: undefined, asked: undefined };
  if (hasLeft) return { exchange: { ...nothing, broken: [] } };
  const wrong = wrongIn(received, sent.name);
  const read = wrong === undefined ? readAnswer(body.toString(), sent.stream, sent.name) : { wrong };
  if (read.wrong !== undefined) return { exchange: { ...nothing, broken: [read.wrong] } };
  const { message } = read;
  const answer = isOwn(message) ? "ended" : signature(body) === fields[SAID] ? "as said" : "other";
  const told = fields[ASKED];
  const asked = told === undefined ? undefined : told === signature(sent.body) ? "as sent" : "other";
  return { exchange: { ...common, answer, asked, broken: [] }, message };
}

/** Of an error, in bytes. */
const SHOWN = 300;

function verdictIn(fields: Received["fields"]): string {
  const [verdict, detector, sticky] = ["verdict", "detector", "sticky"].map((name) => fields[`x-unloop-${name}`]);
  return `${verdict ?? ""}${detector === undefined ? "" : `/${detector}`}${sticky === undefined ? "" : `+${sticky}`}`;
}

function wrongIn({ status, isWhole, failure, fields, body, ms }: Received, name: string): string | undefined {
  if (status === 0) return `no answer after ${ms.toFixed(0)} ms: ${failure}`;
  // Errors of the guard's own say what they are.
  if (status !== 200) return `status ${status} after ${ms.toFixed(0)} ms: ${body.toString().slice(0, SHOWN)}`;
  if (!isWhole) return `broken off: ${failure}`;
  if (fields["content-length"] === undefined && fields["transfer-encoding"] !== "chunked")
    return "neither a length nor chunks";
  if (fields["x-unloop-verdict"] === undefined) return "no verdict";
  // The guard's own answer is nobody else's.
  return fields[RUN] === undefined || fields[RUN] === name ? undefined : "the answer of another run";
}
