import { Session } from "node:inspector/promises";

/** Which blocks of our sources have run in this process, by V8's own counts. */
export interface Coverage {
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
