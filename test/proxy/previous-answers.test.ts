import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type RedisServer, startRedis } from "../support/servers/redis.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { finalText, looping } from "../support/agents/scripts.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";
import type { Heard, Said } from "../support/wires/wire.ts";
import { postTo, searchTool, sendTool } from "../support/agents/wire-agent.ts";
import { responsesWire } from "../support/wires/responses.ts";
import { guardRig, requestsOnly, standard } from "./guard-rig.ts";
import { replicas } from "./replica-rig.ts";

const climb = ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"];
const question: Said = { who: "user", text: "What is the weather in Paris?" };

interface Turn {
  readonly status: number;
  readonly verdict: string | null;
  readonly session: string | null;
  readonly heard: Heard;
}

/** An agent that never sends what it has sent before: it names the answer that it goes on from, or a stored conversation. */
function terseAgent(nextUrl: (turn: number) => string, { stream = false, conversation = "" } = {}) {
  let previous: string | undefined;
  let turns = 0;
  const ask = async (said: readonly Said[]): Promise<Turn> => {
    const body = responsesWire.body({
      said,
      stream,
      tools: [searchTool, sendTool],
      ...(previous && { previousAnswerId: previous }),
    });
    const sent = conversation === "" ? body : { ...body, conversation, previous_response_id: undefined };
    const { status, headers, heard } = await postTo(responsesWire, nextUrl(turns++), JSON.stringify(sent));
    previous = heard.id;
    return { status, verdict: headers.get("x-unloop-verdict"), session: headers.get("x-unloop-session"), heard };
  };
  const results = ({ calls }: Heard): readonly Said[] =>
    calls.map(({ id }) => ({ who: "tool", id, text: "Rain, all day." }));
  return {
    ask,
    results,
    async run(count: number): Promise<readonly Turn[]> {
      const taken: Turn[] = [];
      let said: readonly Said[] = [question];
      for (let i = 0; i < count; i++) {
        const turn = await ask(said);
        taken.push(turn);
        said = results(turn.heard);
      }
      return taken;
    },
  };
}

const verdictsOf = (turns: readonly Turn[]) => turns.map(({ verdict }) => verdict);

describe.each([false, true])("an agent that sends only what is new (streamed: %s)", (stream) => {
  it("is caught at the same turns as one that sends its history", async () => {
    const rig = await guardRig(looping("nothing"), { policy: requestsOnly() }, responsesWire);
    const turns = await terseAgent(() => rig.url, { stream }).run(7);
    expect(verdictsOf(turns)).toEqual(climb);
    expect(new Set(turns.slice(1).map(({ session }) => session)).size).toBe(1);
  });

  it("is caught so in a stored conversation, too", async () => {
    const rig = await guardRig(looping("nothing"), { policy: requestsOnly() }, responsesWire);
    const conversation = `conv_${crypto.randomUUID()}`;
    expect(verdictsOf(await terseAgent(() => rig.url, { stream, conversation }).run(7))).toEqual(climb);
  });

  it("can go on from an answer that the upstream never gave: its person has another wish", async () => {
    const rig = await guardRig(looping("nothing"), { policy: requestsOnly() }, responsesWire);
    const agent = terseAgent(() => rig.url, { stream });
    const [last] = (await agent.run(7)).slice(-1);
    expect(last?.verdict).toBe("short-circuit");
    const next = await agent.ask([{ who: "user", text: "Then tell me of Rome." }]);
    expect([next.status, next.verdict, next.session]).toEqual([200, "ok", last?.session]);
    expect(next.heard.calls).toHaveLength(1);
    const asked = rig.upstream.requests.at(-1)?.view.texts ?? [];
    expect(asked.filter((text) => text.includes("there is no result"))).toHaveLength(1);
    expect(asked.at(-1)).toBe("Then tell me of Rome.");
  });

  it("can go on from an answer of which it has got another half, or another end", async () => {
    const sending: ScriptedAnswer = {
      kind: "calls",
      text: "I will tell them.",
      calls: [{ tool: "send_message", args: '{"text":"The database is healthy."}' }],
    };
    const other: ScriptedAnswer = { kind: "calls", calls: [{ tool: "search", args: '{"q":"database"}' }] };
    const script = [
      sending,
      sending,
      other,
      sending,
      sending,
      sending,
      sending,
      { kind: "text", text: finalText } as const,
    ];
    const rig = await guardRig((_, index) => script[index] ?? other, { policy: standard() }, responsesWire);
    const agent = terseAgent(() => rig.url, { stream });
    const turns = await agent.run(3);
    expect(turns.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(rig.upstream.requests.length).toBeGreaterThan(3);
    const sent = turns.flatMap(({ heard }) => heard.calls).filter(({ tool }) => tool === "send_message");
    expect(sent.length).toBeLessThanOrEqual(2);
    const next = await agent.ask([
      ...agent.results(turns[2]?.heard ?? ({ ...turns[0]?.heard, calls: [] } as Heard)),
      { who: "user", text: "Go on." },
    ]);
    expect(next.status).toBe(200);
  });
});

it("a session that a client has named is told by its label where an answer is all that is named", async () => {
  const rig = await guardRig(looping("nothing"), { policy: requestsOnly() }, responsesWire);
  const name = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
  const ask = (said: readonly Said[], previousAnswerId: string | undefined, headers: Record<string, string>) =>
    postTo(
      responsesWire,
      rig.url,
      JSON.stringify(responsesWire.body({ said, ...(previousAnswerId && { previousAnswerId }) })),
      headers,
    );
  const first = await ask([question], undefined, { "x-unloop-session": name });
  const said: readonly Said[] = first.heard.calls.map(({ id }) => ({ who: "tool", id, text: "Rain." }));
  const second = await ask(said, first.heard.id, {});
  expect(second.headers.get("x-unloop-session")).toMatch(/^7c9e6679\.\.[\w-]{6}$/);
});

it("what a user says between answers is heard as in a history that is sent whole", async () => {
  const looking: ScriptedAnswer = { kind: "calls", calls: [{ tool: "search", args: '{"q":"status"}' }] };
  const told: ScriptedAnswer = { kind: "text", text: "It has not changed." };
  const seen: (readonly (string | null)[])[] = [];
  for (const isWhole of [true, false]) {
    const rig = await guardRig((_, index) => (index % 2 === 0 ? looking : told), { policy: standard() }, responsesWire);
    const said: Said[] = [];
    let previousAnswerId: string | undefined;
    const ask = async (news: readonly Said[]) => {
      said.push(...news);
      const more = isWhole ? { said } : { said: news, ...(previousAnswerId && { previousAnswerId }) };
      const body = responsesWire.body({ tools: [searchTool], ...more });
      const { headers, heard } = await postTo(responsesWire, rig.url, JSON.stringify(body));
      previousAnswerId = heard.id;
      said.push({ who: "heard", entries: heard.entries });
      verdicts.push(`${headers.get("x-unloop-verdict")} ${headers.get("x-unloop-steps")}`);
      return heard.calls.map(({ id }): Said => ({ who: "tool", id, text: "Pending." }));
    };
    const verdicts: string[] = [];
    for (let turn = 0; turn < 7; turn++) {
      const results = await ask([{ who: "user", text: `Has it changed by now? Asked at ${turn} o'clock.` }]);
      await ask(results);
    }
    seen.push(verdicts);
  }
  expect(seen[1]).toEqual(seen[0]);
});

it("an answer of which nothing is known is gone on from untouched", async () => {
  const rig = await guardRig(looping("nothing"), { policy: requestsOnly() }, responsesWire);
  const body = JSON.stringify(
    responsesWire.body({ said: [{ who: "tool", id: "call_1", text: "Rain." }], previousAnswerId: "resp_elsewhere" }),
  );
  const { headers } = await postTo(responsesWire, rig.url, body);
  expect(headers.get("x-unloop-verdict")).toBe("ok");
  expect(rig.upstream.requests.map(({ bytes }) => bytes.toString())).toEqual([body]);
});

describe("with a shared store", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  }, 120_000);
  afterAll(() => redis.stop());

  async function looped(): Promise<string> {
    const upstream = await scriptedUpstream(looping("nothing"), responsesWire);
    onTestFinished(() => upstream.close());
    return upstream.url;
  }

  it("two replicas that are asked in turn catch it at the same turns", async () => {
    const { guards } = await replicas(redis, await looped(), 2);
    const agent = terseAgent((turn) => guards[turn % 2]?.url ?? "");
    expect(verdictsOf(await agent.run(7))).toEqual(climb);
  });

  it("a process that was started anew at each turn knows previous answers", async () => {
    const { guards } = await replicas(redis, await looped(), 7);
    const agent = terseAgent((turn) => guards[turn]?.url ?? "");
    expect(verdictsOf(await agent.run(7))).toEqual(climb);
  });

  it("the store holds no text of it, and no name of an answer", async () => {
    const { guards, kept } = await replicas(redis, await looped(), 1);
    const turns = await terseAgent(() => guards[0]?.url ?? "").run(4);
    const left = await kept();
    expect(left).toContain("named");
    for (const secret of ["Paris", "search for", "Rain", ...turns.map(({ heard }) => heard.id ?? "")])
      expect(left).not.toContain(secret);
  });
});
