import { protocolContract } from "../../contracts/protocol.ts";
import { responsesWire } from "../../support/wires/responses.ts";

protocolContract(responsesWire);
