import { describe } from "vitest";
import { protocolContract, protocolVariant } from "../../contracts/protocol.ts";
import { geminiArrayWire, geminiStreamWire, geminiWire, withoutIds } from "../../support/wires/gemini.ts";

protocolContract(geminiStreamWire, geminiWire);
protocolVariant(geminiArrayWire, true);

describe("without ids of calls,", () => {
  protocolVariant(withoutIds(geminiWire), false);
});
