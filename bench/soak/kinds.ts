import type { Shape } from "../load/turns.ts";

/** How the runs of a soak differ. */
export interface Kind {
  readonly name: string;
  readonly shape: Shape;
  readonly stream: boolean;
  /** The whole history, or under a session's name the task and the last turn alone. */
  readonly tells: "history" | "last turn";
  /** Turns that stand in its first request already. */
  readonly from: number;
  /** It has finished, or gives up, after so many requests. */
  readonly requests: number;
  /** After so many requests the model makes the same call for ever; undefined: it never does. */
  readonly loopsAfter: number | undefined;
  /** It takes another way once it has been nudged. */
  readonly heeds: boolean;
  /** Of so many runs in all, as many as the shares' sum. */
  readonly share: number;
}

const small: Shape = { name: "16 KB", turns: 20, bytesPerTurn: 1_500, events: 60 };
const large: Shape = { name: "300 KB", turns: 80, bytesPerTurn: 5_060, events: 60 };

const healthy = { shape: small, tells: "history", from: 0, requests: 12, loopsAfter: undefined, heeds: false } as const;
const looping = { ...healthy, loopsAfter: 0 } as const;

export const kinds: readonly Kind[] = [
  { ...healthy, name: "healthy, JSON", stream: false, share: 4 },
  { ...healthy, name: "healthy, events", stream: true, share: 4 },
  { ...healthy, name: "healthy, large, JSON", shape: large, from: 60, requests: 8, stream: false, share: 1 },
  { ...healthy, name: "healthy, large, events", shape: large, from: 60, requests: 8, stream: true, share: 1 },
  { ...healthy, name: "healthy, last turn alone", tells: "last turn", stream: false, share: 2 },
  { ...looping, name: "deaf, JSON", stream: false, share: 2 },
  { ...looping, name: "deaf after three turns, events", loopsAfter: 3, stream: true, share: 2 },
  { ...looping, name: "deaf, large, events", shape: large, from: 60, stream: true, share: 1 },
  { ...looping, name: "heeding, JSON", heeds: true, stream: false, share: 1 },
  { ...looping, name: "heeding after two turns, events", heeds: true, loopsAfter: 2, stream: true, share: 1 },
  { ...looping, name: "deaf, last turn alone", tells: "last turn", stream: true, share: 1 },
];

export const isLooping = ({ loopsAfter }: Kind): boolean => loopsAfter !== undefined;

/** The kinds of runs in the order of their numbers: each as often as its share, the same ones apart. */
export function kindOf(run: number): Kind {
  const slots = Array.from({ length: Math.max(...kinds.map(({ share }) => share)) }, (_, lap) =>
    kinds.filter(({ share }) => share > lap),
  ).flat();
  const kind = slots[run % slots.length];
  if (kind === undefined) throw new Error("There are no kinds of runs.");
  return kind;
}

export function kindNamed(name: string): Kind {
  const kind = kinds.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`There is no kind of run named ${name}.`);
  return kind;
}
