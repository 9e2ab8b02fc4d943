import { describe } from "vitest";
import { protocolContract } from "../../contracts/protocol.ts";
import { geminiArrayWire, geminiStreamWire, geminiWire, withoutIds } from "../../support/wires/gemini.ts";

protocolContract(geminiWire, ["JSON"]);
protocolContract(geminiStreamWire, ["an event stream"]);
protocolContract(geminiArrayWire, ["a JSON array"]);

describe("without ids of calls,", () => {
  protocolContract(withoutIds(geminiWire), ["JSON"]);
});
