import type { DialectAgent } from "./dialect-agent.ts";
import type { Script } from "../servers/upstream.ts";

export const ANSWER = "It rains in Rome.";
const items = "abcdefghijklmnop";

export const healthy =
  (agent: DialectAgent, steps = 8): Script =>
  (_, index) =>
    index < steps ? agent.call(`item ${items[index]}`) : agent.final(ANSWER);

export const looping =
  (agent: DialectAgent, heeds: boolean): Script =>
  ({ bytes }) =>
    heeds && String(bytes).includes("[unloop]") ? agent.final(ANSWER) : agent.call("the same");
