import fc from "fast-check";

/* How often each property is tried. `npm test` tries the same inputs each time, so that a red test is the change's own; PROPERTY_SEED asks for others. */

const seed = process.env.PROPERTY_SEED;

fc.configureGlobal(
  seed === undefined
    ? { seed: 1, numRuns: 50 }
    : // Where each try takes sockets, what fits into the time has to do.
      { seed: Number(seed), numRuns: 2_000, interruptAfterTimeLimit: 20_000 },
);
