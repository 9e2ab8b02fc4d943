import { expect, it } from "vitest";
import { deployedWorker, replicaWorker } from "../seams/bindings.ts";
import { urlOf } from "./short-run.ts";

it("the deployed Worker and its replica catch a run that names the answer it goes on from", async () => {
  const urls = [urlOf(deployedWorker), urlOf(replicaWorker)];
  const verdicts: (string | null)[] = [];
  let asking: object = { input: "What is the weather in Paris?" };
  for (let turn = 0; turn < 4; turn += 1) {
    const response = await fetch(`${urls[turn % 2]}/v1/responses`, {
      method: "POST",
      headers: { authorization: "Bearer sk-test" },
      body: JSON.stringify({ model: "m", ...asking }),
    });
    verdicts.push(response.headers.get("x-unloop-verdict"));
    const { id, output } = (await response.json()) as { id: string; output: readonly { call_id?: string }[] };
    const results = output.map(({ call_id }) => ({ type: "function_call_output", call_id, output: "rain till noon" }));
    asking = { input: results, previous_response_id: id };
  }
  expect(verdicts.slice(0, 2)).toEqual(["ok", "ok"]);
  expect(verdicts.slice(2)).toContain("nudge");
});
