import { protocolContract } from "../../contracts/protocol.ts";
import { ollamaWireWithIds } from "../../support/wires/ollama.ts";

protocolContract(ollamaWireWithIds);
