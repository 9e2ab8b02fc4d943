import { expect, it } from "vitest";
import { post } from "../../proxy/guard-rig.ts";
import { chatBody, laps, user } from "../../support/builders/chat-history.ts";
import { configuredWorkers } from "../seams/bindings.ts";
import { urlOf } from "./short-run.ts";

/* A Worker with a configuration among its bindings, in two isolates. */

const urls = configuredWorkers.map(urlOf);

async function verdict(headers: Readonly<Record<string, string>>, url = urls[0] ?? "") {
  const authorization = "Bearer a client key of the tests";
  const given = await post(url, chatBody([user("Weather?"), ...laps(3)]), { authorization, ...headers });
  return given.headers.get("x-unloop-verdict") ?? given.status;
}

it("it lets nobody in without one of its client keys, and follows a rule by header", async () => {
  expect(await verdict({ authorization: "Bearer sk-anybody" })).toBe(401);
  expect(await verdict({ "x-team": "trial", "x-unloop-session": "of-the-rule" })).toBe("observe:nudge");
});

it("it enforces a share of sessions, the same ones in each isolate", async () => {
  const sessions = Array.from({ length: 40 }, (_, i) => ({ "x-unloop-session": `rollout-${i}` }));
  const verdicts = await Promise.all(
    sessions.map(async (session) => [await verdict(session), String(await verdict(session, urls[1]))] as const),
  );
  const enforced = verdicts.filter(([one]) => one === "nudge");
  expect(enforced.length).toBeGreaterThan(0);
  expect(enforced.length).toBeLessThan(20);
  const isObserved = (one: unknown) => String(one).startsWith("observe");
  const apart = verdicts.filter(([one, other]) => isObserved(one) !== isObserved(other) && other !== "ok");
  expect(apart).toEqual([]);
});
