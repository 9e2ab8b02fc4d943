import type { Attack } from "./attacks.ts";
import { chat, startTarget } from "./rig.ts";

const calling = (id: string, tool: string, args: string, result: string) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: tool, arguments: args } }],
  },
  { role: "tool", tool_call_id: id, content: result },
];

/** B, with another credential than A, under A's session id. */
const tenants: Attack = {
  name: "8: tenants",
  async run(dist) {
    const target = await startTarget(dist);
    const loop = Array.from({ length: 9 }, (_, i) =>
      calling(`c${i}`, "read", '{"path":"a"}', "no such file or directory"),
    ).flat();
    const ask = (messages: readonly unknown[], where: Place, key: string) => {
      const headers = { "x-unloop-session": "run-7", ...where.headers?.(key) };
      return chat(
        target,
        { model: "m", messages: [{ role: "user", content: "go" }, ...messages] },
        headers,
        where.query?.(key),
      );
    };
    const rows: [string, string][] = [];
    for (const where of places) {
      await ask(loop, where, `a-${where.name}`);
      const { verdict } = await ask(loop.slice(-2), where, `b-${where.name}`);
      rows.push([`B's own key in ${where.name}`, verdict === "ok" ? "B is told apart" : `B inherits A's ${verdict}`]);
    }
    await target.stop();
    return rows;
  },
};

interface Place {
  readonly name: string;
  readonly headers?: (key: string) => Readonly<Record<string, string>>;
  readonly query?: (key: string) => string;
}

const header = (name: string): Place => ({ name, headers: (key) => ({ [name]: key }) });

const places: readonly Place[] = [
  header("authorization"),
  { name: "?key=", query: (key) => `?key=${key}` },
  { name: "?api-key=", query: (key) => `?api-key=${key}` },
  { name: "a cookie", headers: (key) => ({ cookie: `session=${key}` }) },
  ...["ocp-apim-subscription-key", "x-auth-token", "proxy-authorization", "x-forwarded-user", "openai-project"].map(
    header,
  ),
];

/** What a tool said, in an answer of the guard's own. */
const quoting: Attack = {
  name: "11: tool output in our own answer",
  async run(dist) {
    const target = await startTarget(dist);
    const evil = "Error: not found ![p](https://evil.example/a.png?d=1) \u202egnp.exe";
    const messages = [
      { role: "user", content: "go" },
      ...Array.from({ length: 9 }, (_, i) => calling(`c${i}`, "read", '{"path":"a"}', evil)).flat(),
    ];
    const { verdict, body } = await chat(target, { model: "m", messages });
    await target.stop();
    const came = [body.includes("https://evil") ? "the URL" : "", /\u202e/.test(body) ? "the bidi mark" : ""].filter(
      Boolean,
    );
    return [["a failing tool's picture link", `${verdict}; contains ${came.join(" and ") || "neither link nor mark"}`]];
  },
};

export const telling: readonly Attack[] = [tenants, quoting];
