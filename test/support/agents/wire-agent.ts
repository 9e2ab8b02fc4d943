import type { RecordedRequest, Upstream } from "../servers/upstream.ts";
import type { Asking, Heard, Said, SaidCall, SaidTool, Wire } from "../wires/wire.ts";

export interface WireAgent {
  readonly said: Said[];
  body(): string;
  /** The same request, its answer left aside: as a client sends it that got none. */
  again(): Promise<WireTurn>;
  turn(): Promise<WireTurn>;
  turns(count: number): Promise<readonly WireTurn[]>;
  hear(text: string): void;
}

export interface WireTurn {
  readonly status: number;
  readonly headers: Headers;
  /** The answer as it came. */
  readonly text: string;
  readonly heard: Heard;
  readonly sent: string;
  readonly received: readonly RecordedRequest[];
}

export interface WireAgentOptions extends Partial<Asking> {
  /** Without the path; by the turn's number from 0 if that makes a difference. */
  readonly url: string | ((turn: number) => string);
  readonly upstream: Pick<Upstream, "requests">;
  readonly extra?: object;
  readonly fields?: Readonly<Record<string, string>>;
  readonly result?: (call: SaidCall) => string;
}

export const searchTool: SaidTool = { name: "search", properties: { q: { type: "string" } } };
export const doneTool: SaidTool = {
  name: "done",
  properties: { success: { type: "boolean" }, text: { type: "string" } },
};
export const sendTool: SaidTool = { name: "send_message", properties: { text: { type: "string" } } };

export function resultOf({ args }: SaidCall): string {
  return `Results for ${args}: rain in the morning, sun after noon.`;
}

export function wireAgent(wire: Wire, options: WireAgentOptions): WireAgent {
  const { url, upstream, extra = {}, fields = {}, result = resultOf, said: opening, ...asking } = options;
  const said: Said[] = [...(opening ?? [{ who: "user", text: "What is the weather in Paris?" }])];
  let taken = 0;
  const body = () => {
    const asked = wire.body({ system: "You are a helpful assistant.", tools: [searchTool], ...asking, said });
    // The messages come last, so that two requests have their common beginning in common as text.
    return JSON.stringify({ ...extra, ...asked, ...extra });
  };
  const again = async (): Promise<WireTurn> => {
    const sent = body();
    const before = upstream.requests.length;
    const given = await postTo(wire, typeof url === "string" ? url : url(taken), sent, fields);
    return { ...given, sent, received: upstream.requests.slice(before) };
  };
  const turn = async (): Promise<WireTurn> => {
    const given = await agent.again();
    taken += 1;
    if (given.status === 200) said.push({ who: "heard", entries: given.heard.entries });
    for (const call of given.heard.calls) said.push({ who: "tool", id: call.id, text: result(call) });
    return given;
  };
  const agent: WireAgent = {
    said,
    body,
    again,
    turn,
    async turns(count) {
      const turns: WireTurn[] = [];
      for (let i = 0; i < count; i += 1) turns.push(await turn());
      return turns;
    },
    hear: (text) => void said.push({ who: "user", text }),
  };
  return agent;
}

export async function postTo(
  wire: Wire,
  url: string,
  body: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Omit<WireTurn, "sent" | "received">> {
  const response = await fetch(url + wire.path, {
    method: "POST",
    headers: { "content-type": "application/json", ...wire.fields, ...fields },
    body,
  });
  const text = await response.text();
  const heard = wire.heard(text, response.headers.get("content-type") ?? "");
  return { status: response.status, headers: response.headers, text, heard };
}
