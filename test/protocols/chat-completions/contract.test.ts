import { protocolContract } from "../../contracts/protocol.ts";
import { chatCompletionsWire } from "../../support/wires/chat-completions.ts";

protocolContract(chatCompletionsWire);
