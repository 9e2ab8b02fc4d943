import { expect, it } from "vitest";
import { ruleset } from "../../src/config/config.ts";
import { noMeter } from "../../src/evaluation/evaluation.ts";
import type { Meter, Policy } from "../../src/index.ts";
import { requestsOnly } from "../proxy/guard-rig.ts";
import { storesVia } from "../support/builders/stores.ts";
import { call, guarded, opening, result, walk } from "../proxy/request/walk.ts";

const leaving = (others: number) => [
  ...opening,
  ...Array.from({ length: 3 }, () => [call("same"), result("same")]).flat(),
  ...walk(0, others),
];

it("the steps of a session, and its recovery, are reported once where its record could not be read in between", async () => {
  let fails = false;
  const rig = guarded({
    policy: requestsOnly(),
    stores: storesVia((own, command) =>
      fails && command === "sessions.read" ? Promise.reject(new Error("down")) : own(),
    ),
  });
  for (let others = 0; others < 9; others++) {
    fails = others === 7;
    await rig.ask(leaving(others), call(others));
  }
  expect((await rig.stores.directory.page(2))[0]?.sums.steps).toBe(3 + 8);
  expect((await rig.journal()).map(({ type }) => type)).toEqual(["recovered", "intervention"]);
});

it("mode and rule of a session are those of its newest request, on the fast path too", async () => {
  const policy: Policy = requestsOnly();
  const read: string[] = [];
  const meter: Meter = { ...noMeter, exchange: (...[, , , how]) => void read.push(how) };
  const rig = guarded({ policy, meter });
  for (let i = 0; i < 3; i++) await rig.ask([...opening, ...walk(0, i)], call(i));
  rig.guard().use({ rules: ruleset([], { rule: "new", mode: "observe", policy, rollout: undefined }) });
  await rig.ask([...opening, ...walk(0, 3)], call(3));
  expect(read).toEqual(["whole", "whole", "tail", "tail"]);
  expect((await rig.stores.directory.page(2))[0]?.fields).toMatchObject({ mode: "observe", rule: "new" });
});
