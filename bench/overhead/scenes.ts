import type { Manner } from "../load/upstream.ts";
import { type Shape, shapes } from "../load/turns.ts";

/** One kind of traffic that all targets get. */
export interface Scene {
  readonly name: string;
  readonly title: string;
  readonly shape: Shape;
  readonly stream: boolean;
  readonly pace: Manner["pace"];
  /** Also at a fixed rate, for the time it adds. */
  readonly isTimed: boolean;
  /**
   * Requests a second that all can hold, for the CPU of one, and once more after a longer load. Undefined: neither.
   * At saturation requests come in bursts, of which the fastest servers profit most.
   */
  readonly heldPerSecond: number | undefined;
  readonly isInQuickLook: boolean;
}

const sizes = [
  { size: "small", title: "20 messages, 16 KB", shape: shapes.small, heldPerSecond: 500 },
  { size: "large", title: "100 messages, 250 KB", shape: shapes.large, heldPerSecond: 100 },
] as const;

export const scenes: readonly Scene[] = sizes.flatMap(({ size, title, shape, heldPerSecond }) => [
  {
    name: `${size}-json`,
    title: `${title}, JSON`,
    shape,
    stream: false,
    pace: "together",
    isTimed: true,
    heldPerSecond,
    isInQuickLook: true,
  },
  {
    name: `${size}-events`,
    title: `${title}, 200 events each in a write of its own`,
    shape,
    stream: true,
    pace: 0,
    isTimed: false,
    heldPerSecond: undefined,
    isInQuickLook: false,
  },
  {
    name: `${size}-burst`,
    title: `${title}, 200 events in one write`,
    shape,
    stream: true,
    pace: "together",
    isTimed: true,
    heldPerSecond: undefined,
    isInQuickLook: size === "small",
  },
]);
