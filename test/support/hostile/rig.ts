import { unloop, webTransport } from "../../../src/index.ts";
import type { Wire } from "../wires/wire.ts";
import type { ScriptedAnswer } from "../wires/scripted-answer.ts";
import { hostileRequest, type Slot, type Telling } from "./slots.ts";

export interface HostileCase {
  readonly wire: Wire;
  readonly slot: Slot;
  /** What the text repeats. */
  readonly unit: string;
  readonly telling: Telling;
}

/** A guard without sockets before a model that says at once what it is told to; says what a request costs. */
export function hostileRig() {
  let pieces: readonly string[] = [];
  let fields: Readonly<Record<string, string>> = {};
  const transport = webTransport({
    fetch: async () => new Response(new Blob([...pieces]).stream(), { status: 200, headers: { ...fields } }),
  });
  const app = unloop({ upstream: "http://model.example", transport });
  let requests = 0;
  /** @returns CPU of the process, in ms @param size of the text in all turns together, in characters */
  return async ({ wire, slot, unit, telling }: HostileCase, size: number): Promise<number> => {
    const length = Math.max(1, Math.floor(size / telling.turns));
    const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
    const asked = hostileRequest(wire, slot, text, telling);
    ({ pieces, fields } = rendered(wire, asked.body, slot, text));
    const request = new Request(`http://guard.example${asked.path}`, {
      method: "POST",
      // Each is a run of its own.
      headers: { "content-type": "application/json", ...asked.fields, authorization: `Bearer ${requests++}` },
      body: asked.body,
    });
    const before = process.cpuUsage();
    const answer = await app.request(request);
    await answer.arrayBuffer();
    const { user, system } = process.cpuUsage(before);
    if (answer.headers.get("x-unloop-verdict") === "unguarded")
      throw new Error(`${wire.name} ${slot}: it was not read`);
    return (user + system) / 1_000;
  };
}

/** Stands for the text while an answer is written, in one piece: what splits it for a test may itself be slow. */
const PLACE = "placeholder";

function answerOf(slot: Slot): ScriptedAnswer {
  if (slot === "answered") return { kind: "calls", calls: [{ tool: "search", args: JSON.stringify({ q: PLACE }) }] };
  return { kind: "text", text: slot === "answer" ? PLACE : "ok" };
}

function rendered(wire: Wire, body: string, slot: Slot, text: string) {
  const { fields, pieces } = wire.rendered(answerOf(slot), wire.view(JSON.parse(body)), () => "1");
  const quoted = JSON.stringify(text).slice(1, -1);
  const inArguments = JSON.stringify(quoted).slice(1, -1);
  const put = slot === "answered" && wire.streamsArguments ? inArguments : quoted;
  return { fields, pieces: pieces.map((piece) => String(piece).replaceAll(PLACE, () => put)) };
}
