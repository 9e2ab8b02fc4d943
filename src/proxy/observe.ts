import type { Answer, AnswerFold } from "../protocols/protocols.ts";
import type { AnswerSink, Fields } from "../transport/transport.ts";

/** How an answer went by. */
export interface Observed {
  /** 0 if no head ever came. */
  readonly status: number;
  /** Undefined if there is none that could be understood. */
  readonly answer: Answer | undefined;
  /** Why it broke off, if it did. */
  readonly failure?: unknown;
}

/**
 * Passes an answer on at once and untouched, and shows it to a fold beside that.
 * The fold must not throw. `done` is called once, after the end or the failure.
 */
export function observe(
  sink: AnswerSink,
  fold: (contentType: string) => AnswerFold,
  done: (observed: Observed) => void,
): AnswerSink {
  let status = 0;
  let watching: AnswerFold | undefined;
  let over = false;

  const finish = (how: Omit<Observed, "status">) => {
    if (over) return;
    over = true;
    watching = undefined;
    done({ status, ...how });
  };

  return {
    head(newStatus, fields) {
      sink.head(newStatus, fields);
      status = newStatus;
      if (isReadable(status, fields)) watching = fold(String(fields["content-type"] ?? ""));
    },
    write(bytes) {
      const ready = sink.write(bytes);
      watching?.push(bytes);
      return ready;
    },
    end() {
      sink.end();
      finish({ answer: watching?.end() });
    },
    fail(reason) {
      sink.fail(reason);
      finish({ answer: undefined, failure: reason });
    },
  };
}

function isReadable(status: number, fields: Fields): boolean {
  const coding = fields["content-encoding"];
  return status >= 200 && status < 300 && (coding === undefined || coding === "identity");
}
