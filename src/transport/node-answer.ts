import type { IncomingMessage, ServerResponse } from "node:http";
import { toPairs } from "./fields.ts";
import { type AnswerSink, unanswered } from "./transport.ts";

export interface NodeAnswer extends AnswerSink {
  /** Why there is no head; the caller tells the client. */
  failure(): unknown;
}

/** Writes an answer to node's own response object. */
export function nodeAnswer(incoming: IncomingMessage, outgoing: ServerResponse): NodeAnswer {
  let failure: { readonly reason: unknown } | undefined;
  let headOnWire = false;
  let endsWithConnection = false;
  const closed = () => outgoing.destroyed || outgoing.writableEnded;

  return {
    head(status, fields) {
      if (closed()) return;
      outgoing.writeHead(status, toPairs(fields));
      endsWithConnection = incoming.httpVersionMinor === 0 && fields["content-length"] === undefined;
      // The client gets the head at once, but in one packet with what is already there of the body.
      process.nextTick(() => {
        if (!headOnWire && !closed()) outgoing.flushHeaders();
      });
    },
    write(bytes) {
      if (closed()) return undefined;
      headOnWire = true;
      return outgoing.write(bytes) ? undefined : drained(outgoing);
    },
    end() {
      if (!closed()) outgoing.end();
    },
    fail(reason) {
      if (!outgoing.headersSent) failure = { reason };
      else if (closed()) return;
      // To an HTTP/1.0 client the end of the connection is the end of the body: only a reset is an abort.
      else if (endsWithConnection) outgoing.socket?.resetAndDestroy();
      else outgoing.destroy();
    },
    failure: () => (failure === undefined ? unanswered() : failure.reason),
  };
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done).off("close", done);
      resolve();
    };
    outgoing.on("drain", done).on("close", done);
  });
}
