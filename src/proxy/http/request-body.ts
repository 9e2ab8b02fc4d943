import { utf8Text } from "../../text/bytes.ts";
import { parseJson } from "../../text/parse-json.ts";
import type { BodyStream, Exchange, Transport } from "../../transport/transport.ts";

/** A larger body is not read, and what a coded one holds is read up to this. In bytes. */
export const READ_LIMIT = 32 * 1024 * 1024;

/**
 * Why a request was not read: its size (or that of all at once), a content coding that is not known or holds something else, another
 * encoding of text than UTF-8, no JSON, or JSON of another shape than the API's.
 */
export type UnreadReason = "size" | "coding" | "encoding" | "json" | "shape";

/** A request's body as its client sent it, and as it is read. */
export interface ReceivedBody {
  /** Forwarded where nothing is edited. */
  readonly came: Uint8Array | BodyStream;
  /** Without its content coding and a byte order mark; a reason where it cannot be had. */
  readonly plain: Uint8Array | Extract<UnreadReason, "size" | "coding">;
}

interface BodyTerms {
  readonly hold: BodyHold;
  readonly maxBytes: number;
  readonly readBytes: number;
  readonly transport: Transport;
}

/**
 * @param terms `maxBytes` 0: any number; `readBytes`: of a body, and of what a coded one holds
 * @throws UnloopError `body_too_large`, `client_gone`
 */
export async function readBody(
  exchange: Exchange,
  { hold, maxBytes, readBytes, transport }: BodyTerms,
): Promise<ReceivedBody> {
  const most = maxBytes === 0 ? Number.POSITIVE_INFINITY : maxBytes;
  const came = await exchange.body({ maxBytes: most, readBytes, hold });
  if (!(came instanceof Uint8Array) || came.byteLength > readBytes) return { came, plain: "size" };
  const codings = codingsOf(exchange);
  if (codings.length === 0) return { came, plain: withoutMark(came) };
  const plain = codings.length > MOST_CODINGS ? undefined : await decoded(came, codings, { transport, readBytes });
  return { came, plain: plain === undefined ? "coding" : hold.take(plain.byteLength) ? withoutMark(plain) : "size" };
}

const MOST_CODINGS = 3;

function codingsOf({ fields }: Pick<Exchange, "fields">): readonly string[] {
  const field = fields["content-encoding"];
  if (field === undefined) return [];
  const names = String(field).split(",");
  return names.map((name) => name.trim().toLowerCase()).filter((name) => name !== "" && name !== "identity");
}

async function decoded(
  came: Uint8Array,
  codings: readonly string[],
  { transport: { decode }, readBytes }: Pick<BodyTerms, "transport" | "readBytes">,
): Promise<Uint8Array | undefined> {
  let bytes: Uint8Array | undefined = came;
  for (const coding of codings.toReversed()) bytes = bytes && (await decode?.(coding, bytes, readBytes));
  return bytes;
}

/** Servers skip it. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** A longer one is not looked at for what is wrong with it. In bytes. */
const LOOKED_AT = 1024 * 1024;

/** What is the matter with a body that no format could read. */
export function whyUnread(plain: ReceivedBody["plain"]): UnreadReason {
  if (typeof plain === "string") return plain;
  const text = plain.subarray(0, 4).includes(0) ? undefined : utf8Text(plain);
  if (text === undefined) return "encoding";
  return plain.byteLength > LOOKED_AT || parseJson(text) !== undefined ? "shape" : "json";
}

/** The bytes of request bodies that a process holds at once. */
export type BodyBudget = ReturnType<typeof bodyBudget>;

/** The share of one exchange, until its body has been sent. */
export interface BodyHold {
  /** False where all bodies together would be more than the budget, or others would be left too little. */
  take(bytes: number): boolean;
  /** What is held no longer. */
  give(bytes: number): void;
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

export function bodyBudget(size: number) {
  let most = size;
  let all = 0;
  const owners = new Map<string, number>();

  return {
    /** @param owner whose request it is */
    open(owner: string): BodyHold {
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
        give: (bytes) => account(-Math.min(bytes, own)),
        release: () => account(-own),
      };
    },
    /** What is held already stays. */
    resize(changed: number): void {
      most = changed;
    },
    /** Held now. */
    held: () => all,
  };
}
