import { expect, it } from "vitest";
import { post } from "../../proxy/guard-rig.ts";
import { chatBody, laps, user } from "../../support/builders/chat-history.ts";
import { configuredWorker } from "../seams/bindings.ts";
import { urlOf } from "../seams/network.ts";

it("a Worker with a configuration among its bindings lets in its client keys alone, and follows a rule by header", async () => {
  const asked = (headers: Readonly<Record<string, string>>) =>
    post(urlOf(configuredWorker), chatBody([user("Weather?"), ...laps(3)]), headers);
  expect((await asked({ authorization: "Bearer sk-anybody" })).status).toBe(401);
  const given = await asked({ authorization: "Bearer a client key of the tests", "x-team": "trial" });
  expect(given.headers.get("x-unloop-verdict")).toBe("observe:nudge");
});
