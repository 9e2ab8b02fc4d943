import { protocolContract } from "../../contracts/protocol.ts";
import { ollamaWire } from "../../support/wires/ollama.ts";

protocolContract(ollamaWire);
