import { UnloopError } from "../errors.ts";

/** The bytes of request bodies that a process holds at once. */
export interface BodyBudget {
  open(): BodyHold;
  /** What is held already stays. */
  resize(most: number): void;
  /** Held now. */
  held(): number;
}

/** The share of one exchange, until it is over. */
export interface BodyHold {
  /** @throws UnloopError `overloaded` where all bodies together would be more than the budget */
  take(bytes: number): void;
  release(): void;
}

export function bodyBudget(size: number): BodyBudget {
  let most = size;
  let all = 0;
  return {
    open() {
      let own = 0;
      return {
        take(bytes) {
          // A body alone is always read: how large it may be is another limit's business.
          if (all + bytes > most && all > own) throw overloaded();
          own += bytes;
          all += bytes;
        },
        release() {
          all -= own;
          own = 0;
        },
      };
    },
    resize(next) {
      most = next;
    },
    held: () => all,
  };
}

function overloaded(): UnloopError {
  return new UnloopError(
    "overloaded",
    "The request bodies that are being handled take all the memory there is for them.",
  );
}
