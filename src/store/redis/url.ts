import { UnloopError } from "../../errors.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Access {
  readonly tls: boolean;
  /** Begins every key. */
  readonly prefix: string;
  readonly username?: string;
  readonly password?: string;
}

/** Target that a `REDIS_URL` names. */
export type RedisTarget = Access &
  (
    | { readonly kind: "single"; readonly at: Address; readonly db: number }
    | { readonly kind: "cluster"; readonly nodes: readonly Address[] }
    | {
        readonly kind: "sentinel";
        readonly sentinels: readonly Address[];
        readonly name: string;
        readonly db: number;
        readonly sentinelUsername?: string;
        readonly sentinelPassword?: string;
      }
  );

interface UrlParts {
  readonly access: Access;
  readonly hosts: readonly string[];
  /** Without its slash. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const SHAPE = /^(rediss?)(?:\+([a-z]+))?:\/\/(?:([^/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const HOST = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/;

/**
 * Reads `redis://`, `redis+sentinel://` and `redis+cluster://`, and the same with `rediss` for TLS. What is wrong is
 * named but never quoted, since it may be part of a password.
 * @throws UnloopError `bad_setting`
 */
export function readRedisUrl(text: string): RedisTarget {
  const [, scheme, kind, user, hosts = "", path = "", query = ""] = SHAPE.exec(text) ?? [];
  if (scheme === undefined) throw bad(`must begin with one of ${schemes}; special characters go in as %XX`);
  const parameters = new URLSearchParams(query);
  const pieces = {
    access: { tls: scheme === "rediss", ...credentials(user), prefix: keyPrefix(parameters.get("prefix")) },
    hosts: hosts.split(","),
    path: decoded(path, "what follows the host"),
    query: parameters,
  };
  if (kind === undefined) return single(pieces);
  if (kind === "sentinel") return sentinel(pieces);
  if (kind === "cluster") return cluster(pieces);
  throw bad(`must begin with one of ${schemes}`);
}

const schemes = "redis://, rediss://, redis+sentinel://, rediss+sentinel://, redis+cluster:// and rediss+cluster://";

function single({ access, hosts, path, query }: UrlParts): RedisTarget {
  const [host = "", ...others] = hosts;
  if (others.length > 0) throw bad("names several hosts; redis+sentinel:// and redis+cluster:// take a list");
  allowOnly(query, ["db", "prefix"]);
  if (path !== "" && query.has("db")) throw bad("gives the database twice, as /number and as ?db=");
  return { kind: "single", ...access, at: address(host, 6379), db: database(path || query.get("db")) };
}

function sentinel({ access, hosts, path, query }: UrlParts): RedisTarget {
  if (!/^[\w.-]+$/.test(path)) {
    throw bad("must end with the name of the master that the sentinels watch, such as /mymaster");
  }
  allowOnly(query, ["db", "prefix", "sentinelUsername", "sentinelPassword"]);
  const username = query.get("sentinelUsername");
  const password = query.get("sentinelPassword");
  if (username !== null && password === null) throw bad("has a sentinelUsername but no sentinelPassword");
  return {
    kind: "sentinel",
    ...access,
    sentinels: hosts.map((host) => address(host, 26_379)),
    name: path,
    db: database(query.get("db")),
    ...(username === null ? {} : { sentinelUsername: username }),
    ...(password === null ? {} : { sentinelPassword: password }),
  };
}

function cluster({ access, hosts, path, query }: UrlParts): RedisTarget {
  allowOnly(query, ["prefix"]);
  if (path !== "" && path !== "0") throw bad("asks for a database, but a cluster has only the database 0");
  return { kind: "cluster", ...access, nodes: hosts.map((host) => address(host, 6379)) };
}

function credentials(text: string | undefined): { username?: string; password?: string } {
  if (text === undefined || text === "") return {};
  const colon = text.indexOf(":");
  if (colon === -1) throw bad("has a user name but no password; a password alone is written :password@");
  const username = decoded(text.slice(0, colon), "the user name");
  const password = decoded(text.slice(colon + 1), "the password");
  if (password === "") throw bad("has an empty password");
  return username === "" ? { password } : { username, password };
}

function address(text: string, standardPort: number): Address {
  const [, v6, name, port] = HOST.exec(text) ?? [];
  const host = v6 ?? name;
  if (host === undefined) {
    throw bad(
      "must name each server as host or host:port; in a user name or password, special characters go in as %XX",
    );
  }
  const number = port === undefined ? standardPort : Number(port);
  if (number < 1 || number > 65_535) throw bad("has a port that is not from 1 to 65535");
  return { host, port: number };
}

function database(text: string | null): number {
  if (text === null || text === "") return 0;
  if (!/^\d{1,9}$/.test(text)) throw bad("has a database that is not a whole number");
  return Number(text);
}

// A brace would move the tag by which a cluster keeps a session's keys together.
function keyPrefix(text: string | null): string {
  const prefix = text ?? "unloop:";
  if (/^[\w.:/-]{1,64}$/.test(prefix)) return prefix;
  throw bad("has a prefix that is not 1 to 64 letters, digits or any of _ . : / -");
}

function allowOnly(query: URLSearchParams, names: readonly string[]): void {
  if ([...query.keys()].every((name) => names.includes(name))) return;
  throw bad(`may have only ${names.join(", ")} after its "?"`);
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The thrown error would quote nothing useful; which part it was is what the operator needs.
    throw bad(`has a "%" in ${what} that begins no %XX; a percent sign itself is written %25`);
  }
}

function bad(what: string): UnloopError {
  return new UnloopError("bad_setting", `REDIS_URL ${what}.`);
}
