import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { forwardProxy } from "../support/servers/forward-proxy.ts";
import type { Script, Upstream } from "../support/servers/upstream.ts";
import { type CommandLine, finalText } from "./command-line.ts";
import { commandLines } from "./command-lines.ts";
import { alone, ended, endGroup, type Home, homeOf, wrapped } from "./home.ts";

const answering =
  ({ finish = { kind: "text", text: finalText } }: CommandLine): Script =>
  () =>
    finish;
const looped =
  ({ shell, look = shell("cat notes.txt") }: CommandLine): Script =>
  () =>
    look;

const moving =
  (agent: CommandLine): Script =>
  (request, index) => {
    const command = agent.endsItself ? undefined : ["ls", "cat notes.txt", "wc -l notes.txt"][request.view.turns];
    return command === undefined ? answering(agent)(request, index) : agent.shell(command);
  };

const hanging =
  ({ shell, wire, endsItself }: CommandLine): Script =>
  ({ view }) => {
    const look = shell("cat notes.txt");
    if (view.turns === 0 && endsItself !== true) return look;
    return { ...wire.rendered(look, view, () => "hangs"), pieces: [], ending: "hang" };
  };

const byItself = /unloop: \d+ steps?, no loop/;
const stopped = /unloop: \d+ steps, 1 loop \(repeated-call: [^)]+\), [\d,]+ tokens/;

function expectAsBefore({ left, settings, traces }: Home): void {
  expect(left()).toEqual(settings);
  expect(traces()).toEqual([]);
}

const soon = { timeout: 60_000, interval: 50 };
const turnsIn = ({ requests }: Upstream, from: number) => requests.filter(({ view }) => view.turns >= from).length;

it.each(commandLines)(
  "docs/wrap.md has a row for $name at the version that is tested",
  ({ command, isKnown, name, version }) => {
    const typed = isKnown === false ? `-- ${command}` : name;
    expect(readFileSync("docs/wrap.md", "utf8")).toMatch(new RegExp(`^\\| \`${typed}\`[^|]*\\| ${version} \\|`, "m"));
  },
);

describe.each(commandLines)("unloop wrap $name, the agent itself", (agent) => {
  const play = it.skipIf(agent.executable === undefined);

  it.skipIf(agent.executable === undefined).each(Object.entries(agent.places))(
    "stands in front of the gateway in %s, and leaves a run alone that moves on",
    async (_, at) => {
      const home = await homeOf(agent, moving(agent), { at });
      const before = home.upstream.requests.length;
      const { out, err, code } = await ended(wrapped(agent, home));
      expect([code, `${out}${err}`]).toEqual([0, expect.stringContaining(finalText)]);
      expect(err).toMatch(byItself);
      expect(home.upstream.requests.length).toBeGreaterThan(before);
      expectAsBefore(home);
    },
  );

  it.skipIf(agent.executable === undefined || agent.endsItself)(
    "ends its loop, says so, and leaves its settings as they were, byte for byte",
    async () => {
      const home = await homeOf(agent, looped(agent));
      const before = home.upstream.requests.length;
      const { out, err, code } = await ended(wrapped(agent, home));
      expect([code, `${out}${err}`]).toEqual([
        0,
        expect.stringMatching(agent.loopSays ?? /going in circles|was stopped/),
      ]);
      expect(err).toMatch(stopped);
      expect(home.upstream.requests.length - before).toBeLessThanOrEqual(8);
      expectAsBefore(home);
    },
  );

  play("runs twice at once, each behind its own guard", async () => {
    const home = await homeOf(agent, agent.endsItself ? answering(agent) : looped(agent));
    const before = home.upstream.requests.length;
    const first = ended(wrapped(agent, home));
    await expect.poll(() => home.upstream.requests.length, soon).toBeGreaterThan(before);
    for (const { code, err } of await Promise.all([first, ended(wrapped(agent, home))]))
      expect([code, err]).toEqual([0, expect.stringMatching(agent.endsItself ? byItself : stopped)]);
    expectAsBefore(home);
  });

  play("leaves its settings so when it is killed, and the agent runs without it as before", async () => {
    const home = await homeOf(agent, hanging(agent));
    const child = wrapped(agent, home);
    const from = agent.endsItself ? 0 : 1;
    const before = turnsIn(home.upstream, from);
    await expect.poll(() => turnsIn(home.upstream, from), soon).toBeGreaterThan(before);
    child.kill("SIGKILL");
    await once(child, "exit");
    await expect.poll(home.traces, soon).toEqual([]);
    expectAsBefore(home);
    endGroup(child);

    const again = await homeOf(agent, moving(agent));
    const { out, err } = await ended(alone(agent, again));
    expect(`${out}${err}`).toContain(finalText);
    expect(again.left()).toEqual(again.settings);
  });

  play("is reached past the proxy of the environment, through which the guard goes out", async () => {
    const proxy = await forwardProxy();
    const env = { HTTP_PROXY: proxy.url, http_proxy: proxy.url, HTTPS_PROXY: proxy.url, https_proxy: proxy.url };
    const home = await homeOf(agent, answering(agent), { host: "gateway.test", env });
    const [before, since] = [home.upstream.requests.length, proxy.asked.length];
    const { out, err, code } = await ended(wrapped(agent, home, env));
    expect([code, out, err]).toEqual([0, expect.stringContaining(finalText), expect.stringMatching(byItself)]);
    expect(home.upstream.requests.length).toBeGreaterThan(before);
    const asked = proxy.asked.slice(since);
    expect(asked.filter((one) => /127\.0\.0\.1|localhost/.test(one))).toEqual([]);
    expect(asked.join()).toContain("gateway.test");
  });
});
