import { did, each, said, times, user, uuid, words, type Message } from "./conversations.ts";

/** Agents that ask the same of many things, or wait for one. */
export const atScale: Readonly<Record<string, readonly Message[]>> = {
  "uuid lookups, same state": [
    user("Check"),
    ...times(8, (i) => did("get_user", { id: uuid(i) }, { state: "active" })),
  ],
  "uuid lookups": [
    user("Check"),
    ...times(8, (i) => did("get_user", { id: uuid(i) }, { id: uuid(i), name: words[i] })),
  ],
  "hosts all healthy": [
    user("Check"),
    ...times(8, (i) => did("check_host", { host: words[i] }, { status: "healthy" })),
  ],
  "hosts all up": [user("Check"), ...times(8, (i) => did("check_host", { host: words[i] }, `Host ${words[i]} is up.`))],
  "hosts are up": [
    user("Check"),
    ...times(8, (i) => did("check_host", { host: words[i] }, `Host is up and reachable.`)),
  ],
  "files without problems": [
    user("Lint"),
    ...times(8, (i) => did("lint", { path: `src/${words[i]}.ts` }, "No problems found.")),
  ],
  "checks passed": [user("Lint"), ...times(8, (i) => did("run_check", { name: words[i] }, "All checks passed."))],
  "empty folders": [user("Look"), ...times(7, (i) => did("list_dir", { path: words[i] }, "(empty)"))],
  "no reply yet": [
    user("Wait"),
    ...times(4, () => did("read_thread", { id: 1 }, "No reply yet.")),
    ...did("read_thread", { id: 1 }, "Ann: yes"),
  ],
  "not yet": [user("Wait"), ...times(4, () => did("poll_vote", { id: 1 }, "not yet"))],
  "price watch with sleeps": [
    user("Tell me when below 9"),
    ...times(4, () => [
      ...did("sleep", { seconds: 60 }, "slept 60 s"),
      ...did("get_price", { sku: "m" }, { price: 10 }),
    ]),
    ...did("get_price", { sku: "m" }, { price: 8 }),
  ],
  "price watch with shell sleeps": [
    user("Tell me when the file is there"),
    ...times(4, () => [...did("bash", { command: "sleep 10" }, ""), ...did("bash", { command: "ls out" }, "")]),
    ...did("bash", { command: "ls out" }, "a.zip"),
  ],
  "three jobs in turn": [
    user("Wait"),
    ...times(4, () => each([1, 2, 3], (j) => did("get_job", { id: j }, { id: j, state: "running" }))),
    ...did("get_job", { id: 1 }, { state: "done" }),
  ],
  "short answers in Chinese": [user("记下"), ...times(6, (i) => [said("好的,已记录。"), user(`${words[i]} 是 ${i}`)])],
  "sampling one by one": [
    user("Give me several samples"),
    ...times(5, (i) => did("sample", { prompt: "a joke" }, `joke about ${words[i]}`)),
  ],
  "empty arguments, other results": [user("x"), ...times(6, (i) => did("next", {}, `item ${words[i]}`))],
  "broken artefact arguments": [user("x"), ...times(5, (i) => did("edit", "", `edited ${words[i]}`))],
  migration: [
    user("x"),
    ...times(6, (i) => [
      ...did("apply_next_migration", {}, `applied ${String(i).padStart(3, "0")}`),
      ...did("bash", { command: "make check" }, "ok"),
    ]),
  ],
  "tests pass after each file": [
    user("x"),
    ...times(6, (i) => [
      ...did("write_file", { path: `t${i}`, content: words[i] }, "File written."),
      ...did("bash", { command: "npm test" }, "12 passed"),
    ]),
  ],
  installs: [
    user("x"),
    ...each(["a", "b", "c", "d", "e"], (p) =>
      did("bash", { command: `npm install ${p}` }, "added 1 package, and audited 2 packages in 1s"),
    ),
  ],
  commits: [
    user("x"),
    ...times(6, (i) =>
      did("bash", { command: `git add ${words[i]} && git commit -m ${words[i]}` }, ` 1 file changed, 1 insertion(+)`),
    ),
  ],
  mkdirs: [user("x"), ...times(7, (i) => did("bash", { command: `mkdir -p src/${words[i]}` }, ""))],
  "types letters": [user("x"), ...each([..."hello"], (c) => did("type_key", { key: c }, "ok"))],
  "cells of a sheet": [
    user("x"),
    ...times(10, (i) => did("set_cell", { cell: `A${i + 1}`, value: "0" }, { ok: true, updated: 1 })),
  ],
  "reads each cell": [user("x"), ...times(10, (i) => did("get_cell", { cell: `A${i + 1}` }, { value: 0 }))],
  "tic tac toe": [
    user("x"),
    ...each(["a1", "b2", "c3"], (m) => did("play", { move: m }, `Your move was accepted. Board after ${m}.`)),
  ],
  votes: [user("x"), ...times(6, (i) => did("collect_vote", { from: words[i] }, "approve"))],
  "web pages, cookie wall": [
    user("x"),
    ...times(4, (i) => did("open_url", { url: `https://${words[i]}.example` }, "Please accept cookies to go on.")),
  ],
  "retries that then succeed": [
    user("x"),
    ...each(["pip install a", "pip install --user a", "pip3 install a"], (c) =>
      did("bash", { command: c }, "error: externally-managed-environment"),
    ),
    ...did("bash", { command: "pipx install a" }, "installed a"),
  ],
  "compiles with other errors": [
    user("x"),
    ...times(6, (i) => [
      ...did("edit_file", { path: "a.c", find: `${i}`, replace: `${i + 1}` }, "edited"),
      ...did("bash", { command: "make" }, `a.c:${10 + i * 3}: error: expected ';'`),
    ]),
  ],
  "same compile error while editing others": [
    user("x"),
    ...times(4, (i) => [
      ...did("edit_file", { path: `${words[i]}.c`, find: "x", replace: "y" }, "edited"),
      ...did("bash", { command: "make" }, "main.c:3: error: undefined reference to f"),
    ]),
    ...did("bash", { command: "make" }, "ok"),
  ],
  "stock of nothing": [user("x"), ...times(4, (i) => did("get_stock", { sku: words[i] }, { available: 0 }))],
  "echo bot": [user("hi"), ...times(6, (i) => [said(`You said: ${words[i]}`), user(words[i + 1] ?? "")])],
  "counts down": [user("count"), ...times(6, (i) => [said(`${10 - i}`), user("next")])],
  "chapter by chapter": [
    user("write"),
    ...times(5, (i) => [
      said(`Chapter ${i + 1}. The ${words[i]} lay by the ${words[i + 1]}. `.repeat(3)),
      user("continue"),
    ]),
  ],
  "lists by continue": [
    user("list"),
    ...times(5, (i) => [
      said(`${i * 3 + 1}. ${words[i]}\n${i * 3 + 2}. ${words[i + 1]}\n${i * 3 + 3}. ${words[i + 2]}`),
      user("continue"),
    ]),
  ],
  quiz: [
    user("quiz me"),
    ...times(5, (i) => [
      said(`Question ${i + 1}: What is the capital of ${words[i]}?`),
      user(`It is ${words[i + 2]}.`),
    ]),
  ],
  "role-play goodbyes": [
    user("We shop"),
    said("Goodbye for now! I'll be at the shop at five."),
    user("Ok, and bring bread?"),
    said("Sure, I'll bring bread. Bye!"),
    user("And milk?"),
    said("Milk too. Goodbye!"),
  ],
};
