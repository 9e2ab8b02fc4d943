import { did, each, said, times, user, words, type Message } from "./conversations.ts";

/** Nothing in these tells them from a loop: a word may be said, and no more. */
export const debatable: Readonly<Record<string, readonly Message[]>> = {
  "press down four times": [
    user("Choose the fifth"),
    ...times(4, () => did("press_key", { key: "ArrowDown" }, "ok")),
    ...did("press_key", { key: "Enter" }, "ok"),
  ],
  "coin until tails": [
    user("Flip until tails."),
    ...each(["heads", "heads", "heads", "tails"], (r) => did("flip_coin", {}, r)),
    said("It took four."),
  ],
  "six people": [
    user("Which are customers?"),
    ...times(6, (i) => did("find_customer", { name: words[i] }, "No customer found.")),
    said("None."),
  ],
  "survey bot": [
    user("Start"),
    ...times(5, (i) => [
      said("Thank you. Please rate the next item from one to five."),
      user(`${words[i]}: ${(i % 5) + 1}`),
    ]),
  ],
  "anything else": [
    user("Refund order 1"),
    ...times(4, (i) => [
      ...did("refund", { order: i }, "ok"),
      said("It has been refunded. Is there anything else that I can help you with?"),
      user(`Refund order ${i + 2} as well`),
    ]),
  ],
  "three probes then answer": [
    user("Which creds work?"),
    ...each(["a", "b", "c"], (u) => did("login", { user: u }, "401 Unauthorized")),
    said("None."),
  ],
  recorded: [
    user("Take notes"),
    ...times(6, (i) => [said("Okay, I have added that."), user(`And ${words[i]} costs ${i}.`)]),
  ],
  understood: [
    user("Take notes"),
    ...times(6, (i) => [said("Understood, I've noted it down."), user(`And ${words[i]} costs ${i}.`)]),
  ],
  "same greeting by a bot": [
    user("hi"),
    ...times(3, (i) => [
      said("Welcome back! What can I do for you?"),
      user(`Tell me about ${words[i]}`),
      said(`${words[i]} is a fine thing to know about.`),
      user("thanks, restart"),
    ]),
  ],
  "double letters": [user("type: aaa"), ...each([..."aaab"], (c) => did("type_key", { key: c }, "ok"))],
  "same question to several agents": [
    user("x"),
    ...times(5, (i) =>
      did("ask_agent", { agent: words[i], question: "Do you agree?" }, "Yes, I agree with the proposal."),
    ),
  ],
};
