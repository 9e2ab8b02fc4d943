import { type Content, type FunctionCall, GoogleGenAI, type Part } from "@google/genai";
import { expect, it } from "vitest";
import { guardRig, requestsOnly } from "../proxy/guard-rig.ts";
import { looping } from "../support/agents/scripts.ts";
import type { Script } from "../support/servers/upstream.ts";
import { geminiStreamWire, geminiWire } from "../support/wires/gemini.ts";

/* What Google's own SDK makes of what else may come; its whole runs are beside it. */

const model = "gemini-2.5-flash";
const question: Content = { role: "user", parts: [{ text: "Compare Paris and Rome." }] };
const functionDeclarations = [
  { name: "search", parametersJsonSchema: { type: "object", properties: { q: { type: "string" } } } },
];
const config = { tools: [{ functionDeclarations }] };
const sdkFor = (baseUrl: string) => new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl } });

const both: Script = () => ({
  kind: "calls",
  text: "I look.",
  calls: ["Paris", "Rome"].map((q) => ({ tool: "search", args: JSON.stringify({ q }) })),
});

function resultOf({ id, name = "", args }: FunctionCall): Part {
  return { functionResponse: { ...(id && { id }), name, response: { output: `Rain in ${String(args?.q)}.` } } };
}

it("a turn of parallel calls goes on until it is ended, with the signatures as they came", async () => {
  const rig = await guardRig(both, { policy: requestsOnly() }, geminiStreamWire);
  const contents: Content[] = [question];
  const calls: number[] = [];
  let said = "";
  for (let turn = 0; turn < 7; turn++) {
    const parts: Part[] = [];
    for await (const chunk of await sdkFor(rig.url).models.generateContentStream({ model, contents, config }))
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    const made = parts.flatMap(({ functionCall }) => functionCall ?? []);
    calls.push(made.length);
    said = parts.map(({ text = "" }) => text).join("");
    contents.push({ role: "model", parts }, { role: "user", parts: made.map(resultOf) });
  }
  expect(calls).toEqual([2, 2, 2, 2, 2, 2, 0]);
  expect(said).toContain("going in circles");
  const signatures = (text: string) => text.match(/"thoughtSignature":"[^"]+"/g);
  const sent = rig.upstream.requests.map(({ bytes, answer }) => [String(bytes), String(answer)] as const);
  const answered = sent.slice(0, -1).flatMap(([, answer]) => signatures(answer) ?? []);
  expect(answered).toHaveLength(5);
  expect(signatures(sent.at(-1)?.[0] ?? "")).toEqual(answered);
});

it("a run that is ended with an error throws the API's own, once", async () => {
  const rig = await guardRig(looping("nothing"), { policy: { ...requestsOnly(), finalResponse: "error" } }, geminiWire);
  const contents: Content[] = [question];
  const { models } = sdkFor(rig.url);
  const turn = async () => {
    const { candidates, functionCalls = [] } = await models.generateContent({ model, contents, config });
    contents.push(candidates?.[0]?.content ?? {}, { role: "user", parts: functionCalls.map(resultOf) });
  };
  for (let i = 0; i < 6; i++) await turn();
  await expect(turn()).rejects.toMatchObject({
    name: "ApiError",
    status: 400,
    message: expect.stringContaining("INVALID_ARGUMENT"),
  });
});
