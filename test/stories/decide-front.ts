import type { IncomingMessage, ServerResponse } from "node:http";
import jsonPatch from "fast-json-patch";
import { apiClient } from "../admin/api-rig.ts";
import { bodyOf } from "../support/servers/http.ts";
import { serverOf, upstreamOf } from "../support/servers/of-test.ts";
import type { Front } from "./stories.ts";

let fronts = 0;

export const throughDecide =
  (guardUrl: () => string): Front =>
  async (script, wire, terms) => {
    const upstream = await upstreamOf(script, wire);
    const call = apiClient(guardUrl());
    fronts += 1;
    const run = `run-${fronts}`;

    async function gateway(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
      const request: object = JSON.parse(String(await bodyOf(incoming)));
      const session = `${run}-${incoming.headers["x-unloop-session"] ?? "only"}`;
      const asked = { request, wire: wire.name, session, ...terms };
      const verdicts: string[] = [];
      const reasked: string[] = [];
      const decide = async (answer?: string) => {
        const isStream = answer !== undefined && !answer.startsWith("{");
        const given = answer === undefined ? undefined : isStream ? answer : JSON.parse(answer);
        const { status, body } = await call("decide", { body: { ...asked, ...(given && { answer: given, reasked }) } });
        if (status !== 200) throw new Error(JSON.stringify(body));
        verdicts.push(body.verdict);
        return body;
      };
      const ask = async (edits: readonly jsonPatch.Operation[]) => {
        const patched = jsonPatch.applyPatch(structuredClone(request), edits, true).newDocument;
        const answer = await fetch(upstream.url + wire.path, { method: "POST", body: JSON.stringify(patched) });
        return { text: await answer.text(), type: answer.headers.get("content-type") ?? "" };
      };
      const send = (status: number, type: string, text: string) => {
        const told = verdicts.findLast((verdict) => verdict !== "ok") ?? "ok";
        response.writeHead(status, { "content-type": type, "x-unloop-verdict": told }).end(text);
      };
      let decision = await decide();
      for (;;) {
        if (decision.respond !== null)
          return send(decision.respond.status, decision.respond.contentType, decision.respond.body);
        const answer = await ask(decision.edits);
        decision = await decide(answer.text);
        if (decision.rung === null || decision.verdict.startsWith("observe"))
          return send(200, answer.type, answer.text);
        if (decision.respond === null) reasked.push(decision.rung);
      }
    }

    const url = await serverOf((incoming, response) => {
      gateway(incoming, response).catch((error) => response.destroy(error));
    });
    return { url, upstream };
  };
