import { describe, expect, it } from "vitest";
import { UnloopError } from "../../../src/errors.ts";
import { readRedisUrl } from "../../../src/store/redis/url.ts";

describe("readRedisUrl", () => {
  it.each([
    ["redis://h", { kind: "single", tls: false, at: { host: "h", port: 6379 }, db: 0 }],
    ["redis://h:7000/3", { kind: "single", tls: false, at: { host: "h", port: 7000 }, db: 3 }],
    ["redis://h/?db=3", { kind: "single", tls: false, at: { host: "h", port: 6379 }, db: 3 }],
    ["redis://[::1]:7000/", { kind: "single", tls: false, at: { host: "::1", port: 7000 }, db: 0 }],
    ["rediss://:pw@h", { kind: "single", tls: true, password: "pw", at: { host: "h", port: 6379 }, db: 0 }],
    [
      "redis://guard:p%40ss%3A%2F%25@redis.example.com",
      {
        kind: "single",
        tls: false,
        username: "guard",
        password: "p@ss:/%",
        at: { host: "redis.example.com", port: 6379 },
        db: 0,
      },
    ],
    [
      "redis://guard:p@ss:word@h",
      { kind: "single", tls: false, username: "guard", password: "p@ss:word", at: { host: "h", port: 6379 }, db: 0 },
    ],
    [
      "redis+sentinel://guard:pw@h1:26380,h2/mymaster?db=2",
      {
        kind: "sentinel",
        tls: false,
        username: "guard",
        password: "pw",
        sentinels: [
          { host: "h1", port: 26_380 },
          { host: "h2", port: 26_379 },
        ],
        name: "mymaster",
        db: 2,
      },
    ],
    [
      "rediss+sentinel://h1/m?sentinelUsername=watch&sentinelPassword=w%26",
      {
        kind: "sentinel",
        tls: true,
        sentinels: [{ host: "h1", port: 26_379 }],
        name: "m",
        db: 0,
        sentinelUsername: "watch",
        sentinelPassword: "w&",
      },
    ],
    [
      "redis+cluster://h1:7000,[::1]:7001",
      {
        kind: "cluster",
        tls: false,
        nodes: [
          { host: "h1", port: 7000 },
          { host: "::1", port: 7001 },
        ],
      },
    ],
    [
      "redis+cluster://h1?prefix=team/unloop:",
      { kind: "cluster", tls: false, prefix: "team/unloop:", nodes: [{ host: "h1", port: 6379 }] },
    ],
    [
      "rediss+cluster://guard:pw@h1/0",
      { kind: "cluster", tls: true, username: "guard", password: "pw", nodes: [{ host: "h1", port: 6379 }] },
    ],
  ])("reads %s", (text, target) => {
    expect(readRedisUrl(text)).toEqual({ prefix: "unloop:", ...target });
  });

  it.each([
    ["localhost:6379", "must begin with one of redis://, rediss://"],
    ["http://h", "must begin with one of redis://, rediss://"],
    ["redis+socket://h", "must begin with one of redis://, rediss://"],
    ["redis://", "must name each server as host or host:port"],
    ["redis://h:port", "must name each server as host or host:port"],
    ["redis://h:0", "has a port that is not from 1 to 65535"],
    ["redis://h:65536", "has a port that is not from 1 to 65535"],
    ["redis://h1,h2", "names several hosts; redis+sentinel:// and redis+cluster:// take a list"],
    ["redis+cluster://h1,,h2", "must name each server as host or host:port"],
    ["redis://h/main", "has a database that is not a whole number"],
    ["redis://h/1?db=2", "gives the database twice"],
    ["redis://h?database=1", 'may have only db, prefix after its "?"'],
    ["redis+cluster://h/1", "a cluster has only the database 0"],
    ["redis+cluster://h?db=1", 'may have only prefix after its "?"'],
    ["redis://h?prefix={team}", "has a prefix that is not 1 to 64 letters, digits or any of _ . : / -"],
    ["redis+sentinel://h", "must end with the name of the master"],
    ["redis+sentinel://h/m?sentinelUsername=x", "has a sentinelUsername but no sentinelPassword"],
    ["redis://hunter2@h", "has a user name but no password; a password alone is written :password@"],
    ["redis://user:@h", "has an empty password"],
    ["redis://user:hunter2%@h", 'has a "%" in the password that begins no %XX'],
    ["redis://user:hunter2/@h", "special characters go in as %XX"],
    ["redis://user:hunter2#@h", "special characters go in as %XX"],
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
