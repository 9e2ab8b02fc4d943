import { did, said, times, user, words, type Message } from "./conversations.ts";

/** Agents that wait, retry, walk a list or work on code. */
export const working: Readonly<Record<string, readonly Message[]>> = {
  "poll advancing": [
    user("Wait"),
    ...times(8, (i) => did("get_build", { id: 7 }, { status: "building", percent: i * 12 })),
    said("Built."),
  ],
  "poll building x4 then done": [
    user("Wait"),
    ...times(4, () => did("get_build", { id: 7 }, { status: "building" })),
    ...did("get_build", { id: 7 }, { status: "success" }),
    said("Built."),
  ],
  "poll provisioning": [
    user("Wait"),
    ...times(4, () => did("describe_instance", { id: "i-1" }, { id: "i-1", state: "PROVISIONING" })),
    ...did("describe_instance", { id: "i-1" }, { state: "READY" }),
  ],
  "poll deploy text": [
    user("Wait"),
    ...times(4, () => did("check_deployment", { id: 1 }, "Deployment is still rolling out: 1 of 3 pods available.")),
    ...did("check_deployment", { id: 1 }, "Deployment complete."),
  ],
  "poll health curl": [
    user("Wait"),
    ...times(4, () => did("bash", { command: "curl -s localhost:8080/health" }, '{"status":"starting"}')),
    ...did("bash", { command: "curl -s localhost:8080/health" }, '{"status":"up"}'),
  ],
  "sleep and check": [
    user("Wait"),
    ...times(4, () => did("bash", { command: "sleep 30 && gh run view 77 --json status" }, '{"status":"in_progress"}')),
    ...did("bash", { command: "sleep 30 && gh run view 77 --json status" }, '{"status":"completed"}'),
  ],
  "sleep; tail": [
    user("Wait"),
    ...times(4, () => did("bash", { command: "sleep 60; tail -n 3 train.log" }, "epoch 3/10 loss 0.41")),
    ...did("bash", { command: "sleep 60; tail -n 3 train.log" }, "epoch 4/10 loss 0.39"),
  ],
  "inbox for a reply": [
    user("Tell me when Ann answers"),
    ...times(4, () => did("check_inbox", { from: "ann" }, "No new messages.")),
    ...did("check_inbox", { from: "ann" }, "1 new message: yes!"),
  ],
  approval: [
    user("Get approval"),
    ...times(4, () => did("get_approval", { id: 3 }, { id: 3, approved: null, state: "awaiting review" })),
    ...did("get_approval", { id: 3 }, { state: "approved" }),
  ],
  "waits with growing sleeps": [
    user("Wait"),
    ...times(4, (i) => [...did("sleep", { seconds: 2 ** i }, "ok"), ...did("get_export", { id: 1 }, { ready: false })]),
    ...did("get_export", { id: 1 }, { ready: true, url: "x" }),
  ],
  "is ready false": [
    user("Wait"),
    ...times(4, () => did("is_ready", { service: "db" }, "false")),
    ...did("is_ready", { service: "db" }, "true"),
  ],
  paging: [
    user("All"),
    ...times(12, (i) => did("list_items", { cursor: `c${i}` }, { items: [words[i]], next: `c${i + 1}` })),
  ],
  "paging same tool, no args change": [
    user("All"),
    ...times(8, (i) => did("next_page", {}, `Page ${i + 1} of 8: ${words[i]}`)),
  ],
  "retry with back-off": [
    user("Get"),
    ...times(3, (i) => [
      ...did("http_get", { url: "https://a.example" }, "503 Service Unavailable"),
      ...did("sleep", { seconds: 2 ** i }, ""),
    ]),
    ...did("http_get", { url: "https://a.example" }, "200 OK: data"),
  ],
  "rate limit then ok": [
    user("Get"),
    ...times(3, () => did("http_get", { url: "https://a.example" }, { status: 429, retry_after: 5 })),
    ...did("http_get", { url: "https://a.example" }, { status: 200, body: "x" }),
  ],
  "fix and retest": [
    user("Fix"),
    ...times(8, (i) => [
      ...did("edit_file", { path: "a.py", find: `v${i}`, replace: `v${i + 1}` }, "edited"),
      ...did("bash", { command: "pytest -q" }, `FAILED test_${words[i]} - ${8 - i} failed, ${i} passed`),
    ]),
  ],
  "fix and retest, same red": [
    user("Fix"),
    ...times(5, (i) => [
      ...did("edit_file", { path: "a.py", find: `v${i}`, replace: `v${i + 1}` }, "edited"),
      ...did("bash", { command: "pytest -q" }, "1 failed, 7 passed"),
    ]),
    ...did("bash", { command: "pytest -q" }, "8 passed"),
  ],
  "lint between edits": [
    user("Tidy"),
    ...times(6, (i) => [
      ...did("edit_file", { path: `${words[i]}.py`, find: "a", replace: "b" }, "edited"),
      ...did("bash", { command: "ruff check ." }, "All checks passed!"),
    ]),
  ],
  "gdb stepping": [
    user("Debug"),
    ...times(8, (i) => did("gdb", { command: "next" }, `${20 + i}\t  x = f(${words[i]});`)),
  ],
  "python repl": [user("Explore"), ...times(6, (i) => did("execute_code", { code: `df.${words[i]}.head()` }, "None"))],
  "repl same line, other value": [
    user("Iterate"),
    ...times(6, (i) => did("execute_code", { code: "step(); print(loss())" }, String(0.9 - i * 0.07))),
  ],
};
