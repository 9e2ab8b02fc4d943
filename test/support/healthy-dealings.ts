import { did, each, hex, said, times, together, user, words, type Message } from "./conversations.ts";

/** Agents that deal with people, screens and many alike things. */
export const dealing: Readonly<Record<string, readonly Message[]>> = {
  "subagents, other tasks": [
    user("Review"),
    ...times(6, (i) => did("task", { prompt: `Review src/${words[i]}.ts` }, "Done. No issues found.")),
  ],
  "subagents in parallel": [
    user("Review"),
    ...times(2, (k) =>
      together(
        words
          .slice(k * 5, k * 5 + 5)
          .map((w) => ["task", { prompt: `Review src/${w}.ts` }, "No issues found."] as const),
      ),
    ),
  ],
  "same text to ten people": [
    user("Invite all"),
    ...times(10, (i) =>
      did("send_email", { to: `${words[i]}@x.org`, subject: "Party", body: "Friday at 8" }, { ok: true, id: `m${i}` }),
    ),
  ],
  "other texts to one person": [
    user("Chat with Ann"),
    ...times(6, (i) => did("send_message", { to: "ann", text: `Fact about ${words[i]}` }, "sent")),
  ],
  "walk A B C, results change": [
    user("Drive"),
    ...times(5, (i) => [
      ...did("get_queue", {}, { open: 20 - i }),
      ...did("take_task", {}, { task: words[i] }),
      ...did("finish_task", { task: words[i] }, "ok"),
    ]),
  ],
  "set pixels": [user("Draw"), ...times(20, (i) => did("set_pixel", { x: i, y: i, color: "red" }, "ok"))],
  "fill a form": [
    user("Fill"),
    ...times(6, (i) => [
      ...did("click", { selector: `#f${i}` }, "Clicked"),
      ...did("type_text", { text: words[i] }, "Typed"),
    ]),
  ],
  "add row between entries": [
    user("Enter"),
    ...times(6, (i) => [
      ...did("click", { selector: "#add-row" }, "Clicked"),
      ...did("type_text", { text: words[i] }, "Typed"),
    ]),
  ],
  "press and look": [
    user("Go on"),
    ...times(6, (i) => [
      ...did("press_key", { key: "Down" }, "ok"),
      ...did("read_screen", {}, `Selected: ${words[i]}`),
    ]),
  ],
  "scroll and extract": [
    user("Read"),
    ...times(6, (i) => [
      ...did("scroll", { direction: "down" }, "Scrolled down by one page."),
      ...did("extract_content", {}, `Part ${i}: ${words[i]} ${words[i + 1]}`),
    ]),
  ],
  "next and extract": [
    user("Read"),
    ...times(6, (i) => [
      ...did("click", { selector: "a.next" }, "Clicked on the link 'Next'."),
      ...did("extract_content", { goal: "names" }, `Names: ${words[i]}, ${words[i + 1]}`),
    ]),
  ],
  heartbeats: [
    user("You get heartbeats. Answer HEARTBEAT_OK if all is well."),
    ...times(6, () => [user("HEARTBEAT"), ...did("get_alerts", {}, "No alerts."), said("HEARTBEAT_OK")]),
  ],
  "heartbeats without calls": [
    user("You get heartbeats. Answer HEARTBEAT_OK if all is well."),
    ...times(6, () => [said("HEARTBEAT_OK"), user("HEARTBEAT")]),
  ],
  "cron report": [
    user("Daily"),
    ...times(5, (i) => [
      ...did("get_report", { name: "daily" }, { orders: 0 }),
      said("No orders today."),
      user(`It is day ${i + 2}. Daily report please.`),
    ]),
  ],
  "user asks again": [
    user("Is it up?"),
    ...times(4, (i) => [
      ...did("ping", { host: "a" }, "host a is down"),
      said("It is still down."),
      user(["And now?", "Check again please.", "What about now?", "Once more?"][i] ?? ""),
    ]),
  ],
  "coin five times": [
    user("Flip a coin five times."),
    ...each(["heads", "heads", "heads", "tails", "heads"], (r) => did("flip_coin", {}, r)),
    said("Four heads."),
  ],
  "port scan": [
    user("Which ports?"),
    ...times(6, (i) => did("check_port", { port: 8080 + i }, "closed")),
    said("None open."),
  ],
  translations: [
    user("Translate these"),
    ...times(6, (i) => [
      ...did("translate", { text: words[i], to: "fr" }, `fr-${words[i]}`),
      said(`The French word for ${words[i]} is fr-${words[i]}.`),
      user(`And ${words[i + 1]}?`),
    ]),
  ],
  "chit-chat": [
    user("Hi!"),
    ...each(
      [
        "Ha, good one!",
        "That sounds lovely!",
        "I see what you mean.",
        "Ha, good one!",
        "Really? Tell me more!",
        "That sounds lovely!",
      ],
      (t, i) => [said(t), user(`Well, my ${words[i]} is ${words[i + 1]}.`)],
    ),
  ],
  noted: [user("Note what I say"), ...times(6, (i) => [said("Noted."), user(`Also ${words[i]}.`)])],
  compaction: [
    user("[Summary of the conversation so far: auth.go and user.go were read, tests fail.]"),
    ...did("read_file", { path: "auth.go" }, "package auth"),
    ...did("read_file", { path: "user.go" }, "package user"),
    ...did("bash", { command: "go test ./..." }, "FAIL auth"),
    ...did("edit_file", { path: "auth.go", find: "a", replace: "b" }, "edited"),
    ...did("read_file", { path: "auth.go" }, "package auth // b"),
    ...did("bash", { command: "go test ./..." }, "ok"),
  ],
  "git status between": [
    user("Commit"),
    ...times(5, (i) => [
      ...did("bash", { command: `git commit -am ${words[i]}` }, `[main ${hex(i, 7)}] ${words[i]}`),
      ...did("bash", { command: "git status --short" }, ""),
    ]),
  ],
  "permission asked": [
    user("Delete"),
    ...times(3, (i) => [
      ...did("delete_file", { path: `${words[i]}` }, { error: "needs approval" }),
      said(`May I delete ${words[i]}?`),
      user("Yes."),
    ]),
  ],
  "screens of images": [
    user("Go"),
    ...times(5, (i) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: `s${i}`, type: "function", function: { name: "screenshot", arguments: "{}" } }],
      },
      {
        role: "tool",
        tool_call_id: `s${i}`,
        content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${hex(i, 40)}` } }],
      },
    ]),
  ],
  "game of go moves": [
    user("Play"),
    ...times(6, (i) =>
      did(
        "move",
        { dir: "north" },
        `You are in a maze of twisty little passages, all alike. There is a ${words[i]} here.`,
      ),
    ),
  ],
  "text adventure same room": [
    user("Play"),
    ...each(["look", "take lamp", "open door", "go north", "light lamp", "read sign"], (c) =>
      did("command", { text: c }, c === "look" ? "A room." : `You ${c}.`),
    ),
  ],
  "load test": [
    user("Call the endpoint 6 times and report latency"),
    ...times(6, (i) => did("http_get", { url: "https://a.example/ping" }, { status: 200, ms: 20 + i, body: "pong" })),
  ],
  "grep around": [
    user("Where?"),
    ...times(6, (i) => did("grep", { pattern: words[i], path: "src" }, "")),
    said("Nowhere."),
  ],
  "todo and work": [
    user("Do"),
    ...times(5, (i) => [
      ...did(
        "todo_write",
        {
          todos: words
            .slice(0, 5)
            .map((w, k) => ({ content: w, status: k < i ? "done" : k === i ? "in_progress" : "pending" })),
        },
        "Todos have been updated.",
      ),
      ...did("write_file", { path: words[i], content: "x" }, "File written."),
    ]),
  ],
  "make test with make output": [
    user("Go"),
    ...times(4, (i) => [
      ...did("write_file", { path: "a.c", content: `v${i}` }, "File written."),
      ...did("bash", { command: "make && ./a" }, "ok"),
      ...did("bash", { command: "git diff --stat" }, "1 file changed"),
    ]),
  ],
  "same read after each write": [
    user("Append"),
    ...times(5, (i) => [
      ...did("append_line", { path: "log", line: words[i] }, "ok"),
      ...did("read_file", { path: "log" }, words.slice(0, i + 1).join("\n")),
    ]),
  ],
  "two status words": [
    user("Restart all"),
    ...times(5, (i) => [
      ...did("restart", { svc: words[i] }, "restarted"),
      ...did("list_failed_units", {}, "0 loaded units listed."),
    ]),
  ],
  "check after each user step": [
    user("Help me fix my phone"),
    ...times(5, (i) => [
      ...did("get_network_status", {}, "no signal"),
      said(`Please try step ${words[i]}.`),
      user(`I did ${words[i]}, still nothing.`),
    ]),
  ],
  "seats one after one": [
    user("Book 4 seats"),
    ...times(4, (i) => did("book_seat", { row: 3, seat: i + 1 }, { ok: true, seat: `3-${i + 1}` })),
  ],
  "add to cart four": [
    user("Put four mugs in my cart"),
    ...times(4, (i) => did("add_to_cart", { sku: "mug" }, { items: i + 1 })),
  ],
  "dictionary of nothing": [
    user("Define"),
    ...times(5, (i) => did("lookup_word", { word: words[i] }, { word: words[i], definitions: [] })),
  ],
  "counter increments": [user("Go to ten"), ...times(6, (i) => did("increment", { key: "n" }, { value: i + 1 }))],
  "calendar week": [
    user("When am I free?"),
    ...times(7, (i) => did("list_events", { date: `2026-05-0${i + 1}` }, "No events.")),
    said("All week."),
  ],
};
