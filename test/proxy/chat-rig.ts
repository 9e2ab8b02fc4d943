import { expect } from "vitest";
import { type Guard, memoryStores } from "../../src/index.ts";
import { chatBody, type Message } from "../support/builders/chat-history.ts";
import { type Asked, assembled, inProcess, type RigOptions } from "../support/builders/in-process.ts";
import { type Given, logInto, type LogLine } from "./guard-rig.ts";

type Fields = Readonly<Record<string, string>>;

export const completion = (message: object): Response =>
  Response.json({ id: "x", choices: [{ index: 0, message, finish_reason: "stop" }] });

/** A guard without sockets before whatever answers, and what it logs and keeps of chats. */
export function chatRig(
  answer: (asked: Asked, index: number) => Response | Promise<Response>,
  options: RigOptions = {},
) {
  const logged: LogLine[] = [];
  const stores = options.stores ?? memoryStores();
  let guard: Guard | undefined;
  const told = { secret: "a secret of the tests", log: logInto(logged), ...options, stores };
  const { fetch, asked } = inProcess(answer, told, (made) => {
    guard = assembled(made);
    return guard;
  });
  const begin = (messages: readonly Message[], more: object = {}, fields: Fields = {}) =>
    fetch("/v1/chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer sk-1", ...fields },
      body: chatBody(messages, more),
    });
  return {
    ...{ asked, logged, stores, begin },
    guard: () => guard ?? expect.fail("There is none."),
    journal: async () => (await stores.journal.page(100)).map(({ entry }) => JSON.parse(entry)),
    /** Ends when all is written that is written behind an answer. */
    async ask(...request: Parameters<typeof begin>): Promise<Given> {
      const response = await begin(...request);
      const given = { status: response.status, headers: response.headers, text: await response.text() };
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
      return given;
    },
  };
}
