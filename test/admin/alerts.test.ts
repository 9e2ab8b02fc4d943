import { createHmac } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Alert, alertFor, type AlertDestination, alerting } from "../../src/admin/alerts/alerts.ts";
import { webhook } from "../../src/admin/alerts/webhook.ts";
import type { SessionKey } from "../../src/store/store.ts";
import { reportOf } from "../support/builders/report.ts";
import { receiver } from "../support/servers/webhook-receiver.ts";

const found = { rung: "short-circuit", detector: "repeated-call", loop: "l", count: 7, evidence: [1, 6] } as const;
const told = { tools: ["send_message"], note: "the same call 7 times", language: "en" } as const;
const intervention = { at: 6, key: "k", about: 6, ...found, ...told };
const report = reportOf({ session: "run-1", verdict: "short-circuit", intervention });

it("an alert says in a line what was done, what would have been done or what was cut, and nothing of healthy exchanges", () => {
  const textOf = (change: object) => alertFor({ ...report, ...change }, 1)?.text;
  const loop = "run run-1: repeated-call ×7 (send_message), policy default. the same call 7 times";
  const healthy = { verdict: "ok", intervention: undefined };
  expect(textOf({})).toBe(`Unloop ended ${loop}`);
  expect(textOf({ verdict: "observe:short-circuit", mode: "observe" })).toBe(`Unloop would have acted on ${loop}`);
  const cut = "Unloop cut off a runaway answer in run run-1: runaway-output, policy default.";
  expect([textOf({ ...healthy, cut: true }), textOf(healthy)]).toEqual([cut, undefined]);
  // No link, mention or markup that a client has put into a name.
  const tools = ["<https://evil.example|click>", "@channel", "*bold*", "http://evil.example"];
  expect(textOf({ session: "<!here>", intervention: { ...intervention, tools } })).not.toMatch(/[<>@*|]|:\//);
});

describe("alerting", () => {
  const at = (port: number) => new URL(`http://127.0.0.1:${port}`);
  const ops: AlertDestination = {
    name: "ops",
    url: at(9),
    secret: undefined,
    on: ["force-done", "short-circuit", "cut"],
  };
  const sending = (options: Partial<AlertDestination> = {}, claim?: () => Promise<boolean>) => {
    const sent: string[] = [];
    const open = (to: () => AlertDestination) => ({
      send(message: object) {
        const { session, loop } = message as Alert;
        sent.push(`${to().name} ${session} ${loop} ${to().url.port}`);
      },
      close: async () => void sent.push(`${to().name} closed`),
    });
    const { observe, use } = alerting(open, claim);
    use([{ ...ops, ...options }]);
    return { sent, observe, use };
  };

  it("tells of a loop once, and of another loop or session again", () => {
    const { sent, observe } = sending();
    for (let i = 0; i < 5; i++) observe(report);
    observe({ ...report, intervention: { ...intervention, loop: "other" } });
    observe({ ...report, session: "run-2" });
    // Of one name, and of another tenant.
    observe({ ...report, sessionKey: "b" as SessionKey });
    expect(sent).toEqual(["ops run-1 l 9", "ops run-1 other 9", "ops run-2 l 9", "ops run-1 l 9"]);
  });

  it("tells of what all its filters let through, and keeps quiet where one does not", () => {
    const fitting = { policies: ["default"], rules: ["research"], tenants: ["alpha"], detectors: ["repeated-call"] };
    const others: readonly Partial<AlertDestination>[] = [
      { on: ["nudge"] },
      { policies: ["web-actions"] },
      { detectors: ["budget"] },
      { rules: ["browsers"] },
      { tenants: ["beta"] },
    ];
    for (const other of [{}, ...others]) {
      const { sent, observe } = sending({ ...fitting, ...other });
      observe({ ...report, placement: { rule: "research", tenant: "alpha" } });
      observe(report);
      expect(sent, JSON.stringify(other)).toEqual(others.includes(other) ? [] : ["ops run-1 l 9"]);
    }
  });

  it("tells a destination what no other process has told it, and what the store cannot say", async () => {
    const claims = [async () => false, async () => true, async () => Promise.reject(new Error("down"))];
    for (const [i, claim] of claims.entries()) {
      const { sent, observe } = sending({}, claim);
      observe(report);
      await new Promise((resolve) => setImmediate(resolve));
      expect(sent).toHaveLength(i === 0 ? 0 : 1);
    }
  });

  it("goes on under the same name after a reload, with another address, and gives up what is gone", () => {
    const { sent, observe, use } = sending();
    observe(report);
    use([
      { ...ops, url: at(10) },
      { ...ops, name: "chat" },
    ]);
    observe(report);
    observe({ ...report, session: "run-2" });
    use([]);
    observe({ ...report, session: "run-3" });
    const told = ["ops run-1 l 9", "chat run-1 l 9", "ops run-2 l 10", "chat run-2 l 9"];
    expect(sent).toEqual([...told, "ops closed", "chat closed"]);
  });
});

describe("a webhook", () => {
  const alert = alertFor(report, 1) as Alert;
  const sender = (url: URL, secret?: string) => {
    const lost: string[] = [];
    const place = { url, secret };
    const to = webhook({ address: () => place, onLost: (reason) => lost.push(reason), backOffMs: [1, 1] });
    onTestFinished(to.close);
    to.send(alert);
    return { lost, place };
  };

  it("is signed over its time and its body", async () => {
    const { url, got } = await receiver();
    sender(url, "a long enough secret");
    await vi.waitFor(() => expect(got).toHaveLength(1));
    const [, at, hash] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(got[0]?.signature ?? "") ?? [];
    expect(hash).toBe(createHmac("sha256", "a long enough secret").update(`${at}.${got[0]?.body}`).digest("hex"));
    expect(JSON.parse(got[0]?.body ?? "")).toMatchObject({ type: "loop", occasion: "short-circuit", text: alert.text });
  });

  it("is tried again after a failure, under the same id, where its receiver is by then", async () => {
    const { url, got } = await receiver(500);
    const { lost, place } = sender(new URL("http://127.0.0.1:9"));
    place.url = url;
    await vi.waitFor(() => expect(got).toHaveLength(2));
    expect(new Set(got.map(({ body }) => JSON.parse(body).id)).size).toBe(1);
    expect([got[0]?.signature, lost]).toEqual([undefined, []]);
  });

  it.each([
    { name: "what is refused is not sent again", statuses: [400], tries: 1, reason: "status 400" },
    { name: "what fails for ever is given up", statuses: [500, 500, 500, 500], tries: 3, reason: "status 500" },
  ])("$name", async ({ statuses, tries, reason }) => {
    const { url, got } = await receiver(...statuses);
    const { lost } = sender(url);
    await vi.waitFor(() => expect(lost).toEqual([reason]));
    expect(got).toHaveLength(tries);
  });
});
