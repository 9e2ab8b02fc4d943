import { UnloopError } from "../../errors.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface RedisTarget {
  readonly kind: "single" | "sentinel" | "cluster";
  readonly tls: boolean;
  readonly prefix: string;
  readonly username?: string;
  readonly password?: string;
  readonly hosts: readonly Address[];
  readonly db: number;
  /** The master that sentinels watch, and what they want to be asked with. */
  readonly master?: string;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}

const KINDS = {
  single: { port: 6379, query: ["db", "prefix"] },
  sentinel: { port: 26_379, query: ["db", "prefix", "sentinelUsername", "sentinelPassword"] },
  cluster: { port: 6379, query: ["prefix"] },
} as const;

const SHAPE = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const HOST = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/;
const SCHEMES = "redis://, rediss://, redis+sentinel://, rediss+sentinel://, redis+cluster:// and rediss+cluster://";

/**
 * Reads `redis://`, `redis+sentinel://` and `redis+cluster://`, and the same with `rediss` for TLS. What is wrong is
 * named but never quoted, since it may be part of a password.
 * @throws UnloopError `bad_setting`
 */
export function readRedisUrl(text: string): RedisTarget {
  const [, scheme, suffix, user, servers = "", rest = "", parameters = ""] = SHAPE.exec(text) ?? [];
  if (scheme === undefined) throw bad(`must begin with one of ${SCHEMES}; special characters go in as %XX`);
  const kind = (suffix ?? "single") as keyof typeof KINDS;
  const query = new URLSearchParams(parameters);
  const access = { tls: scheme === "rediss", ...credentials(user), prefix: keyPrefix(query.get("prefix")) };
  const path = decoded(rest, "what follows the host");
  const { port, query: names } = KINDS[kind];
  const hosts = servers.split(",");
  if (kind === "single" && hosts.length > 1)
    throw bad("names several hosts; redis+sentinel:// and redis+cluster:// take a list");
  if (kind === "sentinel" && !/^[\w.-]+$/.test(path))
    throw bad("must end with the name of the master that the sentinels watch, such as /mymaster");
  if (![...query.keys()].every((name) => names.some((one) => one === name)))
    throw bad(`may have only ${names.join(", ")} after its "?"`);
  if (kind === "single" && path !== "" && query.has("db"))
    throw bad("gives the database twice, as /number and as ?db=");
  if (kind === "cluster" && path !== "" && path !== "0")
    throw bad("asks for a database, but a cluster has only the database 0");
  return {
    kind,
    ...access,
    hosts: hosts.map((host) => address(host, port)),
    db: database((kind === "single" && path) || query.get("db")),
    ...(kind === "sentinel" && { master: path, ...sentinelAccess(query) }),
  };
}

function sentinelAccess(query: URLSearchParams): Pick<RedisTarget, "sentinelUsername" | "sentinelPassword"> {
  const [sentinelUsername, sentinelPassword] = [query.get("sentinelUsername"), query.get("sentinelPassword")];
  if (sentinelPassword === null) {
    if (sentinelUsername !== null) throw bad("has a sentinelUsername but no sentinelPassword");
    return {};
  }
  return { ...(sentinelUsername !== null && { sentinelUsername }), sentinelPassword };
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
