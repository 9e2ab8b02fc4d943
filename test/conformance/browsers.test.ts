import { expect, it } from "vitest";
import { ask, loopOf, ways } from "./rig.ts";

const origin = "https://app.example";
const path = "/v1/chat/completions";
const allowed = { "access-control-allow-origin": origin, "access-control-allow-credentials": "true" };

it.each([
  { name: "a final answer", body: loopOf(9), verdict: "short-circuit", status: 200 },
  { name: "a streamed one", body: loopOf(9, { stream: true }), verdict: "short-circuit", status: 200 },
  { name: "an error", body: loopOf(1), verdict: "ok", status: 502 },
])(
  "the guard's own answers are for pages that the upstream allowed to read it ($name)",
  async ({ body, ...wanted }) => {
    let isUp = true;
    const { guard } = await ways(({ socket }, outgoing) => {
      if (isUp) outgoing.writeHead(200, allowed).end("{}");
      else socket.resetAndDestroy();
    });
    await ask(guard, { path, body: loopOf(1), fields: { origin } });
    isUp = false;
    const { status, fields } = await ask(guard, { path, body, fields: { origin, connection: "close" } });
    expect({ status, verdict: fields["x-unloop-verdict"] }).toEqual({ verdict: wanted.verdict, status: wanted.status });
    expect(fields).toMatchObject({ ...allowed, vary: "origin" });
  },
);

it("a preflight says as much", async () => {
  const { guard } = await ways((_, outgoing) => outgoing.writeHead(204, allowed).end());
  await ask(guard, { method: "OPTIONS", path, fields: { origin, "access-control-request-method": "POST" } });
  const { fields } = await ask(guard, { path, body: loopOf(9), fields: { origin } });
  expect(fields).toMatchObject(allowed);
});

it.each([
  { name: "of another origin", asking: { origin: "https://evil.example" } },
  { name: "without one", asking: {} },
])("nothing is allowed to a page $name", async ({ asking }) => {
  const { guard } = await ways((_, outgoing) => outgoing.writeHead(200, allowed).end("{}"));
  await ask(guard, { path, body: loopOf(1), fields: { origin } });
  const { fields } = await ask(guard, { path, body: loopOf(9), fields: asking });
  expect(fields["x-unloop-verdict"]).toBe("short-circuit");
  expect(fields["access-control-allow-origin"]).toBeUndefined();
});
