import type { Answer, AnswerFold } from "../protocols/protocols.ts";
import type { AnswerSink, Fields } from "../transport/transport.ts";

/**
 * Passes an answer on at once and untouched, and shows it to a fold beside that.
 * The fold must not throw. `done` is called once, after the end or the failure; without an answer if there is none that could be understood.
 * `status` is 0 if no head ever came.
 */
export function observe(
  sink: AnswerSink,
  fold: (contentType: string) => AnswerFold,
  done: (answer: Answer | undefined, status: number) => void,
): AnswerSink {
  let status = 0;
  let watching: AnswerFold | undefined;
  let over = false;

  const finish = (answer: Answer | undefined) => {
    if (over) return;
    over = true;
    watching = undefined;
    done(answer, status);
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
      finish(watching?.end());
    },
    fail(reason) {
      sink.fail(reason);
      finish(undefined);
    },
  };
}

function isReadable(status: number, fields: Fields): boolean {
  const coding = fields["content-encoding"];
  return status >= 200 && status < 300 && (coding === undefined || coding === "identity");
}
