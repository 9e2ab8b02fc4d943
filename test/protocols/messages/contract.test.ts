import { protocolContract, protocolVariant } from "../../contracts/protocol.ts";
import { messagesWire, vertexWire } from "../../support/wires/messages.ts";

protocolContract(messagesWire);
protocolVariant(vertexWire(true), true);
