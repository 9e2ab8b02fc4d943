import { describe } from "vitest";
import { protocolContract, protocolVariant } from "../../contracts/protocol.ts";
import { ollamaWire, ollamaWireWithIds } from "../../support/wires/ollama.ts";

protocolContract(ollamaWireWithIds);

describe("without ids of calls,", () => {
  protocolVariant(ollamaWire, true);
});
