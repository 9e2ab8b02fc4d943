export { advance } from "./advance.ts";
export { follow, type Followed, type Placed, taskAt } from "./follow.ts";
export { type HeaderOf, type Identity, identify } from "./identify.ts";
export { type Kept, load, nothingKept, save } from "./keeper.ts";
export { emptyLedger, type Intervention, type Judge, type Ledger, readLedger } from "./ledger.ts";
