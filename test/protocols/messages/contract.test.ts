import { protocolContract } from "../../contracts/protocol.ts";
import { messagesWire } from "../../support/wires/messages.ts";

protocolContract(messagesWire);
