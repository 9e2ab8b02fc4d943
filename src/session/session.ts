export { follow, type Followed, taskAt } from "./follow.ts";
export { type HeaderOf, type Identity, identify } from "./identify.ts";
export { type Kept, load, nothingKept, save } from "./keeper.ts";
export { advance, emptyLedger, type Intervention, type Judge, type Ledger, readLedger } from "./ledger.ts";
