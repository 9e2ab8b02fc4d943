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
  readonly isInQuickLook: boolean;
}

const sizes = [
  { size: "small", title: "20 messages, 16 KB", shape: shapes.small },
  { size: "large", title: "100 messages, 250 KB", shape: shapes.large },
] as const;

export const scenes: readonly Scene[] = sizes.flatMap(({ size, title, shape }) => [
  {
    name: `${size}-json`,
    title: `${title}, JSON`,
    shape,
    stream: false,
    pace: "together",
    isTimed: true,
    isInQuickLook: true,
  },
  {
    name: `${size}-events`,
    title: `${title}, 200 events each in a write of its own`,
    shape,
    stream: true,
    pace: 0,
    isTimed: false,
    isInQuickLook: false,
  },
  {
    name: `${size}-burst`,
    title: `${title}, 200 events in one write`,
    shape,
    stream: true,
    pace: "together",
    isTimed: true,
    isInQuickLook: size === "small",
  },
]);
