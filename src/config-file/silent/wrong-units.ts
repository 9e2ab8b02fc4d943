import { limitNames, settingsTable } from "../../config/config.ts";
import { isMapping, type Path, type Problem } from "../../shapes/shapes.ts";
import type { ConfigFileText } from "../schema.ts";

/** Numbers that are right by their form, and a thousand or a million times too small. */
export function wrongUnits({ limits = {}, policies = {}, rollout, rules = [] }: ConfigFileText): readonly Problem[] {
  return [
    ...smallShare(["rollout"], rollout),
    ...rules.flatMap((rule, i) => smallShare(["rules", i, "rollout"], rule.rollout)),
    ...limitNames.flatMap((name) => smallLimit(name, limits[name])),
    ...Object.entries(policies).flatMap(([name, policy]) => pricesOfTokens(["policies", name, "prices"], policy)),
  ];
}

function smallShare(path: Path, percent = 0): readonly Problem[] {
  const problem = "is less than one per cent; a tenth of the sessions is 10";
  return percent > 0 && percent < 1 ? [{ path, problem }] : [];
}

const UNITS: readonly (readonly [end: RegExp, unit: string])[] = [
  [/Ms$/, "milliseconds, a thousandth of what is usual; a second is 1000"],
  [/Bytes$/, "bytes, a thousandth of what is usual; a megabyte is 1048576"],
];

/** Nobody wants a thousandth of what is usual; whoever thinks of seconds or kilobytes writes it. */
function smallLimit(name: (typeof limitNames)[number], value = 0): readonly Problem[] {
  const unit = UNITS.find(([end]) => end.test(name))?.[1];
  const isSmall = value > 0 && value <= Number(settingsTable[name].standard) / 1000;
  return unit !== undefined && isSmall ? [{ path: ["limits", name], problem: `is ${value} ${unit}` }] : [];
}

/** In the currency of the budget. No model's million costs so little. */
const LEAST_PRICE = 0.001;

function pricesOfTokens(path: Path, policy: unknown): readonly Problem[] {
  const prices = isMapping(policy) && isMapping(policy.prices) ? policy.prices : {};
  return Object.entries(prices).flatMap(([model, price]) =>
    Object.entries(isMapping(price) ? price : {}).flatMap(([kind, amount]) =>
      typeof amount === "number" && amount > 0 && amount < LEAST_PRICE
        ? [{ path: [...path, model, kind], problem: "is that of a token; write the price of a million tokens" }]
        : [],
    ),
  );
}
