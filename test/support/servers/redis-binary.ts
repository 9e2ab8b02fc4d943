import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { onPath } from "../processes/installed.ts";

export interface RedisBinary {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Finds a server: `REDIS_SERVER_BIN`, the PATH, an earlier unpacking, the distribution's own packages unpacked into a
 * cache folder of the checkout (no root needed).
 * @throws with one sentence that says what to install.
 */
export function redisBinary(): RedisBinary {
  const named = process.env.REDIS_SERVER_BIN;
  if (named !== undefined && named !== "") return checked({ path: named, env: process.env });
  const installed = onPath("redis-server", "valkey-server");
  if (installed !== undefined) return checked({ path: installed, env: process.env });
  if (onPath("apt-get") !== undefined && onPath("dpkg") !== undefined) return checked(unpacked());
  throw missing("none was found, and there is no apt-get to fetch one");
}

function checked(binary: RedisBinary): RedisBinary {
  const { status, stdout, stderr, error } = spawnSync(binary.path, ["--version"], {
    env: binary.env,
    encoding: "utf8",
  });
  if (status === 0 && /v=\d/.test(stdout)) return binary;
  throw missing(`${binary.path} does not run: ${error?.message ?? (stderr.trim() || `it ended with ${status}`)}`);
}

function missing(why: string): Error {
  return new Error(
    `These tests need a Redis server, but ${why}; install redis-server or valkey-server, or name one in REDIS_SERVER_BIN.`,
  );
}

// Test files run side by side, hence the lock; and the folder gets its name only when it is whole.
const UNPACK = `
cache=$1
[ -d "$cache/root" ] && exit 0
rm -rf "$cache/half"
mkdir -p "$cache/lists/partial" "$cache/debs/partial"
apt() {
  apt-get -qq -o Dir::State="$cache" -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$cache/debs" \
    -o APT::Sandbox::User= -o Debug::NoLocking=1 "$@"
}
apt update
cd "$cache/debs"
# What is missing on this machine differs from release to release; apt knows.
needed=$(apt install --print-uris --no-install-recommends redis-server | sed -n "s/^'[^']*' \\([^_]*\\)_.*/\\1/p")
apt download redis-server redis-tools $needed
for package in *.deb; do dpkg -x "$package" "$cache/half"; done
rm -rf "$cache/debs" "$cache/lists"
mv "$cache/half" "$cache/root"
`;

function unpacked(): RedisBinary {
  const cache = resolve(import.meta.dirname, "../../../.cache/redis");
  mkdirSync(cache, { recursive: true });
  const done = spawnSync("flock", [join(cache, "lock"), "sh", "-euc", UNPACK, "unpack", cache], { encoding: "utf8" });
  if (done.status !== 0) {
    const why = done.error?.message ?? done.stderr.trim().split("\n").at(-1);
    throw missing(`none is installed, and the distribution's package could not be fetched (${why})`);
  }
  const root = join(cache, "root");
  const found = spawnSync("find", [root, "-name", "*.so*", "-printf", "%h\n"], { encoding: "utf8" }).stdout;
  const libraries = [...new Set(found.split("\n").filter((line) => line !== ""))].join(":");
  return { path: join(root, "usr/bin/redis-server"), env: { ...process.env, LD_LIBRARY_PATH: libraries } };
}
