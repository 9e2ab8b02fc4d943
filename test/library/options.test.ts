import { describe, expect, it } from "vitest";
import {
  guardOf,
  memoryStores,
  policyFrom,
  type SessionKey,
  type ThreadKey,
  unloop,
  webTransport,
} from "../../src/index.ts";

const wrongOptions: readonly { readonly options: unknown; readonly tells: RegExp }[] = [
  { options: "https://api.openai.com", tells: /options must be an object, not a text/ },
  { options: { upstrem: "https://host" }, tells: /did you mean "upstream"/ },
  {
    options: { mode: "Observe" },
    tells: /options\.mode must be one of "enforce", "observe", "off", not "Observe"; did you mean "observe"/,
  },
  { options: { upstream: "api.openai.com" }, tells: /options\.upstream must be a whole http or https URL/ },
  { options: { allowClientOverrides: "no" }, tells: /options\.allowClientOverrides must be true or false/ },
  { options: { policy: { ladders: {} } }, tells: /options\.policy must be the name of a preset.*policyFrom/ },
  { options: { stores: {} }, tells: /options\.stores\.sessions is missing/ },
  {
    options: { stores: { ...memoryStores(), directives: { put() {} } } },
    tells: /options\.stores\.directives has no function remove/,
  },
  {
    options: { log: console.log },
    tells: /options\.log must be an object with debug, info, warn, error/,
  },
  { options: { judge: { upstream: "https://host" } }, tells: /options\.judge needs upstream and model/ },
];

describe("an option that is wrong", () => {
  it.each(wrongOptions)("is refused by name, with what it may be: $tells", ({ options, tells }) => {
    // biome-ignore lint/suspicious/noExplicitAny: JavaScript, or process.env, gives anything
    const make = () => unloop(options as any);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(tells);
    expect(make).toThrow(expect.objectContaining({ code: "bad_setting" }));
  });

  it("is refused by guardOf alike, and no message repeats what might be a secret", () => {
    const transport = webTransport();
    // biome-ignore lint/suspicious/noExplicitAny: what a mistake gives
    expect(() => guardOf({ transport, mode: "sk-live-1234567890" as any })).toThrow(/"off", not another text\.$/);
  });
});

it.each([
  {},
  { upstream: new URL("https://host/v1"), upstreams: { "/groq": "https://api.groq.com/openai", "/": "http://host" } },
  { policy: policyFrom({ extends: "default", name: "own" }), mode: undefined, judge: undefined, observer: undefined },
  { judge: { upstream: "https://host", model: "m", key: undefined }, secret: "sixteen characters or more" },
])("options that are right make a guard: %o", (options) => {
  expect(unloop(options as object)).toHaveProperty("fetch");
});

it("operators wait longer for a slow store than an exchange does", async () => {
  const memory = memoryStores();
  const slowly = <T>(value: T) => new Promise<T>((resolve) => setTimeout(() => resolve(value), 120));
  const sessions = { ...memory.sessions, read: () => slowly(undefined) };
  const directory = { ...memory.directory, find: () => slowly(undefined) };
  const { stores } = guardOf({ stores: { ...memory, sessions, directory }, transport: webTransport() }).context();
  expect(await stores.sessions.read("s.t" as ThreadKey)).toBeUndefined();
  expect(await stores.directory.find("s" as SessionKey)).toBeUndefined();
});
