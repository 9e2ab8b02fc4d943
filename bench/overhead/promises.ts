import { added, cpuPerRequest, type Figure, over, ratio, throughput } from "./figures.ts";
import { afterLoad, type Measured } from "./measure.ts";
import type { TargetName } from "./targets.ts";

/** What was set out to be reached, beside what was. */
export interface Promised {
  readonly what: string;
  readonly limit: string;
  readonly measured: Figure;
  /** After the point, when it is shown. */
  readonly digits: number;
  /** Undefined where noise was greater than what was to be measured. */
  readonly isMet: boolean | undefined;
}

const atLeast = (what: string, limit: number, measured: Figure, digits = 2): Promised => ({
  what,
  limit: `at least ${limit}`,
  measured,
  digits,
  isMet: Number.isNaN(measured.median) ? undefined : measured.median >= limit,
});

const atMost = (what: string, limit: number, measured: Figure, digits = 2): Promised => ({
  what,
  limit: `at most ${limit}`,
  measured,
  digits,
  isMet: Number.isNaN(measured.median) ? undefined : measured.median <= limit,
});

/** Of throughput: multiples of the bare pass-through's with either store. */
const LEAST = {
  small: { memory: 0.4, redis: 0.35 },
  large: { memory: 0.7, redis: 0.6 },
  burst: { memory: 0.5, redis: 0.5 },
};
/** And of other gateways'. */
const GATEWAYS = [
  { name: "portkey", title: "Portkey's", least: 10 },
  { name: "litellm", title: "LiteLLM's", least: 50 },
] as const;

export function promises(
  all: readonly Measured[],
  events: ReadonlyMap<TargetName, readonly number[]>,
): readonly Promised[] {
  const rows = all.flatMap((measured) => [...throughputs(measured), ...times(measured)]);
  const [own, bare] = [events.get("unloop"), events.get("bare")];
  if (own !== undefined && bare !== undefined)
    rows.push(atMost("CPU of a streamed event / bare, memory", 1.3, ratio(own, bare)));
  return rows;
}

function throughputs(measured: Measured): Promised[] {
  const { scene } = measured;
  const title = afterLoad(scene.title, measured);
  const [size, kind] = scene.name.split("-");
  const least = kind === "burst" ? LEAST.burst : size === "small" ? LEAST.small : LEAST.large;
  const [memory, redis] = (["unloop", "unloop-redis"] as const).map((name) => throughput(measured, name));
  const rows: Promised[] = [];
  if (memory) rows.push(atLeast(`${title}: requests / bare, memory`, least.memory, memory.toBare));
  if (redis) rows.push(atLeast(`${title}: requests / bare, Redis`, least.redis, redis.toBare));
  const cpu = (name: TargetName) => cpuPerRequest(measured.saturation.get(name) ?? []);
  if (memory && scene.name === "small-json")
    for (const gateway of GATEWAYS)
      if (cpu(gateway.name).length > 0)
        rows.push(
          atLeast(
            `${title}: requests / ${gateway.title}, memory`,
            gateway.least,
            ratio(cpu(gateway.name), cpu("unloop")),
            1,
          ),
        );
  return rows;
}

function times(measured: Measured): Promised[] {
  const { scene } = measured;
  const title = afterLoad(scene.title, measured);
  const [memory, redis, portkey] = (["unloop", "unloop-redis", "portkey"] as const).map((name) =>
    added(measured, name),
  );
  const rows: Promised[] = [];
  if (memory) {
    rows.push(atMost(`${title}: added p50 / bare's, memory`, 1.3, memory.p50ToBare));
    rows.push(atMost(`${title}: added p99 / bare's, memory`, 2, memory.p99ToBare));
  }
  if (redis) rows.push(atMost(`${title}: added p50 / bare's, Redis`, 1.3, redis.p50ToBare));
  if (memory && portkey && scene.stream) {
    const share = memory.first.median / portkey.first.median;
    rows.push(atMost(`${title}: first event's added time / Portkey's, memory`, 0.03, over([share]), 3));
  }
  return rows;
}
