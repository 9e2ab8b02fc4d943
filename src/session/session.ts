export { advance } from "./advance.ts";
export { follow, type Followed, type Placed, taskAt } from "./follow.ts";
export { type Identity, identify } from "./identify.ts";
export { journalEntry, type Occasion } from "./journal-entry.ts";
export { type Kept, load, nothingKept, save, spentElsewhere } from "./keeper.ts";
export { emptyLedger, type Intervention, type Judge, type Ledger, readLedger } from "./ledger.ts";
export type { Evidence } from "./sources.ts";
export { leaveTrail, rejoin } from "./trail.ts";
