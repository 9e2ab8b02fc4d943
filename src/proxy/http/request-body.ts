import { utf8Text } from "../../text/bytes.ts";
import { parseJson } from "../../text/parse-json.ts";
import type { BodyLimits, BodyStream, Exchange, Transport } from "../../transport/transport.ts";

/** A larger body is not read, and what a coded one holds is read up to this. In bytes. */
export const READ_LIMIT = 32 * 1024 * 1024;

/**
 * Why a request was not read: its size (or that of all at once), a content coding that is not known or holds something else, another
 * encoding of text than UTF-8, no JSON, or JSON of another shape than the API's.
 */
export type UnreadReason = "size" | "coding" | "encoding" | "json" | "shape";

/** A request's body as its client sent it, and as it is read. */
export interface ReceivedBody {
  readonly came: Uint8Array | BodyStream;
  /** Without its content coding and a byte order mark; a reason where it cannot be had. */
  readonly plain: Uint8Array | Extract<UnreadReason, "size" | "coding">;
}

const MOST_CODINGS = 3;

/**
 * @param hold its room @param limits `maxBodyBytes` 0: any number; `readBytes`: of a body, and of what a coded one holds
 * @throws UnloopError `body_too_large`, `client_gone`
 */
export async function readBody(
  exchange: Exchange,
  hold: BodyHold,
  { decode }: Transport,
  { maxBodyBytes, readBytes }: { readonly maxBodyBytes: number; readonly readBytes: number },
): Promise<ReceivedBody> {
  const came = await exchange.body({ maxBytes: maxBodyBytes || Number.POSITIVE_INFINITY, readBytes, hold });
  if (!(came instanceof Uint8Array) || came.byteLength > readBytes) return { came, plain: "size" };
  const names = String(exchange.fields["content-encoding"] ?? "").toLowerCase();
  const codings = names.split(",").filter((name) => !/^\s*(identity\s*)?$/.test(name));
  if (codings.length === 0) return { came, plain: withoutMark(came) };
  let plain: Uint8Array | undefined = codings.length > MOST_CODINGS ? undefined : came;
  for (const name of codings.toReversed())
    plain = plain && (await decode?.(formatOf(name.trim(), plain), plain, readBytes));
  return { came, plain: plain === undefined ? "coding" : hold.take(plain.byteLength) ? withoutMark(plain) : "size" };
}

/** Some write the bare stream that the name of `deflate` says. */
function formatOf(coding: string, [first = 0]: Uint8Array): string {
  if (coding === "deflate" && (first & 15) !== 8) return "deflate-raw";
  return coding === "x-gzip" ? "gzip" : coding;
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

export type BodyBudget = ReturnType<typeof bodyBudget>;

/** The share of one exchange, until its body has been sent. */
interface BodyHold extends NonNullable<BodyLimits["hold"]> {
  release(): void;
}

/** One body is at most so many times what it leaves free, and all of one owner; with small ones (in bytes) more, so that of two behind one key the other still gets through. */
const [BODY, OWNER, OWNER_SMALL, SMALL] = [4, 7, 15, 256 * 1024];

/**
 * The bytes of request bodies that a process holds at once. Dynamic thresholds, as switches share a buffer: whatever one takes is
 * measured by what stays free, so that something always does, and one who is alone has nearly all.
 */
export function bodyBudget(size: number) {
  let most = size;
  let all = 0;
  const owners = new Map<string, number>();

  return {
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
    resize(changed: number): void {
      most = changed;
    },
    held: () => all,
  };
}
