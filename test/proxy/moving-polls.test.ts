import { expect, it } from "vitest";
import { memoryStores } from "../../src/index.ts";
import { inPieces, inProcess } from "../support/builders/in-process.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import type { Said, Wire } from "../support/wires/wire.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { ollamaWire } from "../support/wires/ollama.ts";
import { responsesWire } from "../support/wires/responses.ts";
import { standard } from "./guard-rig.ts";

/** What a poll says of a figure, short and long, in ten languages. */
const wordings: readonly ((figure: number) => string)[] = [
  (n) => `${n} rows written`,
  (n) => `compiled ${n} of 4000 files`,
  (n) => `epoch ${n}/5000 loss 0.7`,
  (n) => `${(1 + n / 100).toFixed(2)}G 8% 41.20MB/s`,
  (n) => JSON.stringify({ table: "customers", state: "active", rows: n, errors: 0 }),
  (n) => `The import has written ${n} rows into the table of customers so far.`,
  (n) => `Es wurden bisher ${n} Zeilen in die Tabelle der Kunden geschrieben.`,
  (n) => `L'import a écrit ${n} lignes dans la table des clients jusqu'à présent.`,
  (n) => `La importación ha escrito ${n} filas en la tabla de clientes hasta ahora.`,
  (n) => `Импорт записал на данный момент ${n} строк в таблицу клиентов.`,
  (n) => `导入到目前为止已向客户表写入${n}行，其余的行还在等待写入。`,
  (n) => `これまでに顧客テーブルへ${n}行が書き込まれました。残りの行を待っています。`,
  (n) => `지금까지 고객 테이블에 ${n}행을 가져왔고 나머지 행을 읽는 중이다`,
  (n) => `كتب الاستيراد حتى الآن ${n} صفا في جدول العملاء الرئيسي.`,
  (n) => `आयात ने अब तक ग्राहकों की तालिका में ${n} पंक्तियाँ लिखी हैं।`,
];

const code = (i: number) => ((i + 11) * 0x9e3779b1).toString(16).slice(-6);

/** What tools and harnesses put around it. */
const envelopes: readonly ((text: string, i: number) => string)[] = [
  (text) => text,
  (text, i) =>
    `Chunk ID: ${code(i)}\nWall time: 0.0${512 + i * 37} seconds\nProcess exited with code 0\nOriginal token count: 7\nOutput:\n${text}`,
  (text, i) => JSON.stringify({ ok: true, duration_ms: 13 + ((i * 29) % 50), output: text }),
  (text) => JSON.stringify({ exit_code: 0, stdout: text }),
  (text, i) => `${text}\n\n<system-reminder>\nToken usage: ${12_345 + i * 817}/200000\n</system-reminder>`,
  (text) => JSON.stringify([{ type: "text", text }]),
];

/** How a figure moves: evenly, unevenly, down, by a lot, by little for its size, with pauses. */
const moves: Readonly<Record<string, (i: number) => number>> = {
  evenly: (i) => 37 * (i + 1),
  unevenly: (i) => [3, 41, 97, 212, 255, 388][i] ?? 0,
  down: (i) => 3800 - 113 * i - 7 * i * i,
  "by a lot": (i) => 100_000 + 24_096 * i + 7_001 * i * i,
  "by little": (i) => 1_000_037 + 16 * i,
  "with pauses": (i) => [9, 17, 17, 30, 42, 42][i] ?? 0,
};

/** It does not move, or does nothing but count the calls. */
const standing: Readonly<Record<string, (text: string, i: number) => string>> = {
  "stands still": (text) => text,
  "only counts the calls": (text, i) => `Look ${i + 21} at the log of the build, the last line of it is:\n${text}`,
  "only says when it was looked at": (text, i) => `2026-03-01T10:0${i}:07Z the last line of the log is:\n${text}`,
};

const TURNS = 6;
const wires = [chatCompletionsWire, messagesWire, responsesWire, ollamaWire];
const tool = { name: "exec_command", properties: { cmd: { type: "string" } } };
const looking: ScriptedAnswer = { kind: "calls", calls: [{ tool: tool.name, args: '{"cmd":"tail -1 build.log"}' }] };

/** The verdicts of a run that looks until it is stopped: its next look always comes through the guard. */
async function verdictsOf(wire: Wire, stream: boolean, results: readonly string[]): Promise<readonly string[]> {
  let next = 0;
  const guard = inProcess(
    (asked) => {
      const raw = wire.rendered(looking, wire.view(JSON.parse(asked.body)), () => `${next++}`);
      if (raw.kind !== "raw") throw new Error("a script says what is sent");
      return new Response(inPieces(raw.pieces), { status: raw.status, headers: { ...raw.fields } });
    },
    { policy: standard(), stores: memoryStores() },
  );
  const said: Said[] = [{ who: "user", text: "Wait for the import, then tell me." }];
  const verdicts: string[] = [];
  for (const text of results) {
    const response = await guard.fetch(`http://guard${wire.path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...wire.fields, "x-unloop-session": "one" },
      body: JSON.stringify(wire.body({ said, tools: [tool], stream })),
    });
    const heard = wire.heard(await response.text(), response.headers.get("content-type") ?? "");
    verdicts.push(response.headers.get("x-unloop-verdict") ?? "");
    said.push({ who: "heard", entries: heard.entries });
    for (const { id } of heard.calls) said.push({ who: "tool", id, text });
    if (heard.calls.length === 0) break;
  }
  return verdicts;
}

const numbered = (make: (i: number) => string) => Array.from({ length: TURNS }, (_, i) => make(i));
const at = <Row>(rows: readonly Row[], i: number) => rows[i % rows.length] ?? expect.fail("no rows");
const figures = Object.values(moves);

// Each wording moves twice, each move and each envelope comes five times, and all together pair most of them.
it.each([...wordings.keys()])("a poll whose figure moves is left alone: wording %i", async (w) => {
  for (const n of [w, w + wordings.length]) {
    const [wording, envelope, figure] = [at(wordings, w), at(envelopes, n + Math.floor(n / 6)), at(figures, n * 5 + 1)];
    const results = numbered((i) => envelope(wording(figure(i)), i));
    expect(await verdictsOf(chatCompletionsWire, n % 2 === 0, results)).toEqual(Array(TURNS).fill("ok"));
  }
});

it.each(Object.entries(standing))("a poll that %s is told of, and ended if nothing differs", async (what, told) => {
  // A figure that counts the calls is taken for noise, which is a judgement.
  const least = what === "only counts the calls" ? "nudge" : "force-done";
  for (const [n, wording] of wordings.entries()) {
    const results = numbered((i) => at(envelopes, n)(told(wording(37), i), i));
    const verdicts = await verdictsOf(chatCompletionsWire, n % 2 === 0, results);
    expect([n, verdicts.some((verdict) => [least, "short-circuit"].includes(verdict))]).toEqual([n, true]);
  }
});

it.each(wires)("a poll over $name goes on or ends as over any other", async (wire) => {
  const [wording, envelope] = [at(wordings, 4), at(envelopes, 1)];
  const moving = numbered((i) => envelope(wording(at(figures, 0)(i)), i));
  const still = numbered((i) => envelope(wording(37), i));
  expect(await verdictsOf(wire, true, moving)).toEqual(Array(TURNS).fill("ok"));
  expect((await verdictsOf(wire, true, still)).join(" ")).toMatch(/nudge.*(force-done|short-circuit)/);
});
