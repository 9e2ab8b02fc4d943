/** The bytes of request bodies that a process holds at once. */
export interface BodyBudget {
  /** @param owner whose request it is */
  open(owner: string): BodyHold;
  /** What is held already stays. */
  resize(most: number): void;
  /** Held now. */
  held(): number;
}

/** The share of one exchange, until its body has been sent. */
export interface BodyHold {
  /** False where all bodies together would be more than the budget, or others would be left too little. */
  take(bytes: number): boolean;
  release(): void;
}

/*
 * Dynamic thresholds, as switches share a buffer: whatever one takes is measured by what stays free, so that something always
 * does. Nobody is known in advance, and one who is alone has nearly all.
 */

/** One body is at most so many times what it leaves free. */
const BODY = 4;
/** All bodies of one owner are. */
const OWNER = 7;
/** And with small ones, so that of two behind one key the other still gets through. */
const OWNER_SMALL = 15;
/** In bytes. */
const SMALL = 256 * 1024;

export function bodyBudget(size: number): BodyBudget {
  let most = size;
  let all = 0;
  const owners = new Map<string, number>();

  return {
    open(owner) {
      let own = 0;
      const account = (bytes: number) => {
        own += bytes;
        all += bytes;
        const sum = (owners.get(owner) ?? 0) + bytes;
        if (sum === 0) owners.delete(owner);
        else owners.set(owner, sum);
      };
      return {
        take(bytes) {
          const body = own + bytes;
          const free = most - all - bytes;
          const ofOwner = (owners.get(owner) ?? 0) + bytes;
          const isWithin = body <= BODY * free && ofOwner <= (body <= SMALL ? OWNER_SMALL : OWNER) * free;
          // A body alone is always read: how large it may be is another limit's business.
          if (!isWithin && all > own) return false;
          account(bytes);
          return true;
        },
        release: () => account(-own),
      };
    },
    resize(changed) {
      most = changed;
    },
    held: () => all,
  };
}
