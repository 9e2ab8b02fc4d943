import { Session } from "node:inspector/promises";
import fc from "fast-check";
import { damaged } from "./inputs.ts";
import type { FuzzTarget } from "./targets.ts";

/** What a search through a reader's code has come to. */
export interface Explored {
  readonly inputs: number;
  /** Blocks of code that were reached. */
  readonly blocks: number;
  /** The shortest inputs found that reach all of them together. */
  readonly kept: readonly string[];
  /** The first input that the reader must not break on, and did. */
  readonly failure?: { readonly input: string; readonly error: unknown };
}

/** A look at the counts costs as much as so many inputs. */
const BATCH = 128;
/** Longer inputs reach little that is new. In characters. */
const LONGEST = 3_000;

/**
 * Searches for inputs that reach new code: those that do are damaged further, alone and as what others are made of.
 * @param known inputs of earlier searches
 */
export async function explore(
  { inputs, check }: FuzzTarget,
  known: readonly string[],
  { ms, coverage }: { readonly ms: number; readonly coverage: Coverage },
): Promise<Explored> {
  const until = performance.now() + ms;
  const kept: string[] = [];
  const seen = new Set<string>();
  let tried = 0;
  const reaches = async (batch: readonly string[]) => {
    for (const input of batch) {
      tried++;
      try {
        check(input);
      } catch (error) {
        throw new Broken(input, error);
      }
    }
    return (await coverage.look()).filter((block) => !seen.has(block));
  };
  const keepNew = async (batch: readonly string[]) => {
    if ((await reaches(batch)).length === 0) return;
    for (const input of batch) {
      const found = await reaches([input]);
      if (found.length === 0) continue;
      for (const block of found) seen.add(block);
      kept.push(input);
    }
  };
  try {
    await coverage.look();
    await keepNew(known.toSorted((a, b) => a.length - b.length));
    while (performance.now() < until) {
      const children = kept.length === 0 ? inputs : fc.oneof(inputs, damaged(kept));
      await keepNew(fc.sample(children, BATCH).filter(({ length }) => length <= LONGEST));
    }
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return { inputs: tried, blocks: seen.size, kept, failure: { input: error.input, error: error.cause } };
  }
  return { inputs: tried, blocks: seen.size, kept };
}

class Broken extends Error {
  readonly input: string;

  constructor(input: string, cause: unknown) {
    super("A reader broke.", { cause });
    this.input = input;
  }
}

/** Which blocks of our sources have run in this process, by V8's own counts. */
interface Coverage {
  /** Blocks that have run since the last look, by name. */
  look(): Promise<readonly string[]>;
}

export async function startCoverage(): Promise<Coverage> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  return {
    async look() {
      const { result } = await session.post("Profiler.takePreciseCoverage");
      const ours = result.filter(({ url }) => /\/src\/.*\.ts/.test(url));
      return ours.flatMap(({ scriptId, functions }) =>
        functions.flatMap(({ ranges }) =>
          ranges
            .filter(({ count }) => count > 0)
            .map(({ startOffset, endOffset }) => `${scriptId} ${startOffset} ${endOffset}`),
        ),
      );
    },
  };
}
