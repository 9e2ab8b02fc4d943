import { protocolContract, protocolVariant } from "../../contracts/protocol.ts";
import { messagesWire } from "../../support/wires/messages.ts";
import { vertexWire } from "../../support/wires/vertex.ts";

protocolContract(messagesWire);
protocolVariant(vertexWire(true), true);
