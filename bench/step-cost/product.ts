import type * as Canonical from "../../src/engine/fingerprint/canonical.ts";
import type * as Detectors from "../../src/engine/detectors.ts";
import type * as Engine from "../../src/engine/engine.ts";
import type * as Outcome from "../../src/engine/reading/outcome.ts";
import type * as DetectorSettings from "../../src/engine/detectors.ts";
import type * as Reading from "../../src/scan/sketch.ts";
import type * as Speech from "../../src/engine/reading/speech.ts";
import type * as ToolKind from "../../src/engine/reading/tool-kind.ts";
import type * as View from "../../src/engine/view.ts";
import type * as Volatile from "../../src/engine/fingerprint/volatile.ts";
import type * as Keyed from "../../src/text/keyed-hash.ts";
import type * as Policy from "../../src/policy/policy.ts";
import type * as Advance from "../../src/session/ledger/advance.ts";
import type * as Foresee from "../../src/session/ledger/lookahead.ts";
import type * as Ledger from "../../src/session/ledger/ledger.ts";

// As it is shipped: tsx would name every function each time it is made, which costs more than some of them do.
const compiled = (file: string) => import(new URL(`../../dist/${file}`, import.meta.url).href);

export const { canonicalForm, jsonIn, parseJsonText }: typeof Canonical = await compiled(
  "engine/fingerprint/canonical.js",
);
export const { detectors }: typeof Detectors = await compiled("engine/detectors.js");
export const { fingerprintOf, inspect, stepKey }: typeof Engine = await compiled("engine/engine.js");
export const { readOutcome: judgement }: typeof Outcome = await compiled("engine/reading/outcome.js");
export const { settingsFor, settingsWith }: typeof DetectorSettings = await compiled("engine/detectors.js");
const { readSpeech }: typeof Reading = await compiled("scan/sketch.js");
export const sketch = (text: string) => readSpeech(text).like;
export const { announces, heardSignature, plainText }: typeof Speech = await compiled("engine/reading/speech.js");
export const { toolKindOf }: typeof ToolKind = await compiled("engine/reading/tool-kind.js");
export const { viewOf }: typeof View = await compiled("engine/view.js");
export const { isVolatileArgument, volatileFields, withoutStamps }: typeof Volatile = await compiled(
  "engine/fingerprint/volatile.js",
);
export const { keyedHash }: typeof Keyed = await compiled("text/keyed-hash.js");
export const { presetNamed }: typeof Policy = await compiled("policy/policy.js");
export const { advance, advanceBy, take }: typeof Advance = await compiled("session/ledger/advance.js");
export const { lookaheadFor }: typeof Foresee = await compiled("session/ledger/lookahead.js");
export const { emptyLedger }: typeof Ledger = await compiled("session/ledger/ledger.js");
