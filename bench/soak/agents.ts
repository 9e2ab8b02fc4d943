import { type Chance, chanceFrom } from "../load/material.ts";
import { type Running, running } from "./agent.ts";
import type { Leaving } from "./ask.ts";
import { runName } from "./fields.ts";
import { type Kind, kindOf, kinds } from "./kinds.ts";
import type { Run } from "./run.ts";

/** The agents of a soak, in a process of their own. What they are told: */
export type Order =
  /** Plays one run of each kind, one after the other; answered with all of them. */
  | { readonly do: "play once"; readonly port: number }
  /** So many requests a second, due at fixed times, whether the earlier ones are answered or not; each run is told when it has ended. */
  | { readonly do: "begin"; readonly port: number; readonly perSecond: number; readonly watched: Watched }
  /** Waits for what is under way, tells of the runs that are cut short, and then that it has ended. */
  | { readonly do: "end" };

/** By kind: the requests whose answers are looked into before the client gets them. */
export type Watched = Readonly<Record<string, readonly number[]>>;

/** What they tell. */
export type News =
  | { readonly ready: true }
  | { readonly runs: readonly Run[] }
  | { readonly ended: true; readonly latestMs: number };

/** Runs that are under way at a time; more, if all of them wait for an answer. */
const AGENTS = 48;
const LEAVING_SHARE = 0.015;
/** Of the few whose answer is held back, more leave, so that there are enough of them. */
const LEAVING_WATCHED_SHARE = 0.1;

let runs = 0;
let load: { readonly end: () => Promise<number> } | undefined;

const tell = (news: News): void => void process.send?.(news);

async function playOnce(port: number): Promise<void> {
  const played: Run[] = [];
  for (const kind of kinds) {
    runs += 1;
    const one = running(kind, runName(runs), port);
    while (await one.next(undefined));
    one.end();
    played.push(one.told());
  }
  tell({ runs: played });
}

interface Player extends Running {
  readonly kind: Kind;
  readonly chance: Chance;
}

function nextPlayer(port: number): Player {
  runs += 1;
  const kind = kindOf(runs);
  return { ...running(kind, runName(runs), port), kind, chance: chanceFrom(runs) };
}

function leavingOf({ kind, chance, turn }: Player, watched: Watched): Leaving | undefined {
  const between = (least: number, most: number) => least + (most - least) * chance();
  const isWatched = watched[kind.name]?.includes(turn()) ?? false;
  if (chance() >= (isWatched ? LEAVING_WATCHED_SHARE : LEAVING_SHARE)) return undefined;
  // Behind the words of a stream, or the time that the first answer takes.
  if (isWatched)
    return kind.stream
      ? { since: "the first byte", ms: between(15, 50) }
      : { since: "the request", ms: between(12, 50) };
  if (kind.stream && chance() < 0.5) return { since: "the first byte", ms: between(0, 25) };
  return { since: "the request", ms: between(0, 10) };
}

function begin({ port, perSecond, watched }: Extract<Order, { do: "begin" }>): typeof load {
  const start = performance.now();
  const resting: Player[] = [];
  let [sent, alive, underWay, latestMs] = [0, 0, 0, 0];
  let settled: (() => void) | undefined;
  const dueAt = (index: number) => start + (index * 1_000) / perSecond;

  async function ask(player: Player): Promise<void> {
    underWay += 1;
    const goesOn = await player.next(leavingOf(player, watched));
    underWay -= 1;
    if (goesOn) resting.push(player);
    else retire(player);
    if (underWay === 0) settled?.();
  }
  function retire(player: Player): void {
    alive -= 1;
    player.end();
    tell({ runs: [player.told()] });
  }
  function rested(): Player {
    const found = alive < AGENTS ? undefined : resting.shift();
    if (found !== undefined) return found;
    alive += 1;
    return nextPlayer(port);
  }
  const timer = setInterval(() => {
    for (; dueAt(sent) <= performance.now(); sent += 1) {
      latestMs = Math.max(latestMs, performance.now() - dueAt(sent));
      void ask(rested());
    }
  }, 2);
  return {
    async end() {
      clearInterval(timer);
      if (underWay > 0)
        await new Promise<void>((resolve) => {
          settled = resolve;
        });
      for (const player of resting.splice(0)) retire(player);
      return latestMs;
    },
  };
}

async function carryOut(order: Order): Promise<void> {
  switch (order.do) {
    case "play once":
      return playOnce(order.port);
    case "begin":
      load = begin(order);
      return;
    case "end":
      tell({ ended: true, latestMs: (await load?.end()) ?? 0 });
  }
}

process.on("message", (order: Order) => void carryOut(order));
process.once("disconnect", () => process.exit());
tell({ ready: true });
