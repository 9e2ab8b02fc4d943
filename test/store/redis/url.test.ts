import { describe, expect, it } from "vitest";
import { UnloopError } from "../../../src/errors.ts";
import { readRedisUrl } from "../../../src/store/redis/url.ts";

describe("readRedisUrl", () => {
  const at = (...hosts: readonly (readonly [host: string, port?: number])[]) => ({
    hosts: hosts.map(([host, port = 6379]) => ({ host, port })),
  });
  it.each([
    ["redis://h", at(["h"])],
    ["redis://h:7000/3", { ...at(["h", 7000]), db: 3 }],
    ["rediss://:pw@h", { tls: true, password: "pw", ...at(["h"]) }],
    [
      "redis://guard:p%40ss%3A%2F%25@r.example.com",
      { username: "guard", password: "p@ss:/%", ...at(["r.example.com"]) },
    ],
    [
      "redis+sentinel://guard:pw@h1:26380,h2/mymaster?db=2",
      {
        ...{ kind: "sentinel", username: "guard", password: "pw", master: "mymaster", db: 2 },
        ...at(["h1", 26_380], ["h2", 26_379]),
      },
    ],
    [
      "rediss+sentinel://h1/m?sentinelUsername=watch&sentinelPassword=w%26",
      {
        ...{ kind: "sentinel", tls: true, master: "m", sentinelUsername: "watch", sentinelPassword: "w&" },
        ...at(["h1", 26_379]),
      },
    ],
    ["redis+cluster://h1:7000,[::1]:7001", { kind: "cluster", ...at(["h1", 7000], ["::1", 7001]) }],
  ])("reads %s", (text, target) => {
    expect(readRedisUrl(text)).toEqual({ kind: "single", tls: false, prefix: "unloop:", db: 0, ...target });
  });

  it.each([
    ["localhost:6379", "must begin with one of redis://, rediss://"],
    ["redis://", "must name each server as host or host:port"],
    ["redis://h:0", "has a port that is not from 1 to 65535"],
    ["redis://h1,h2", "names several hosts; redis+sentinel:// and redis+cluster:// take a list"],
    ["redis://h/main", "has a database that is not a whole number"],
    ["redis://h/1?db=2", "gives the database twice"],
    ["redis://h?database=1", 'may have only db, prefix after its "?"'],
    ["redis+cluster://h/1", "a cluster has only the database 0"],
    ["redis://h?prefix={team}", "has a prefix that is not 1 to 64 letters, digits or any of _ . : / -"],
    ["redis+sentinel://h", "must end with the name of the master"],
    ["redis+sentinel://h/m?sentinelUsername=x", "has a sentinelUsername but no sentinelPassword"],
    ["redis://hunter2@h", "has a user name but no password; a password alone is written :password@"],
    ["redis://user:@h", "has an empty password"],
    ["redis://user:hunter2%@h", 'has a "%" in the password that begins no %XX'],
    ["redis://user:hunter2/@h", "special characters go in as %XX"],
  ])("refuses %s, and says what is wrong without a word of the password", (text, message) => {
    const complaint = complaintAbout(text);
    expect(complaint).toMatch(/^REDIS_URL .*\.$/);
    expect(complaint).toContain(message);
    expect(complaint).not.toContain("hunter2");
  });
});

function complaintAbout(text: string): string {
  try {
    readRedisUrl(text);
  } catch (error) {
    if (error instanceof UnloopError && error.code === "bad_setting") return error.message;
    throw error;
  }
  return "no complaint";
}
