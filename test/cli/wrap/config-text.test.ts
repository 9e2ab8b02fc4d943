import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { edited, configEdits, inverseOf, valueAt } from "../../../src/cli/wrap/config-text.ts";

const json = `{
  // a comment
  "providers": {
    "openai": { "settings": { "apiKey": "k", "baseUrl": "https://old.example/v1" } },
    "other": { "settings": { "apiKey": "k" } },
  },
}
`;
const yaml = `# a comment
models:
  - name: one   # the first
    apiBase: "https://old.example/v1"
  - name: two
    model: x
  - { name: three, model: y }
`;

const rows = [
  {
    name: "a JSON value that is there",
    format: "json",
    text: json,
    at: ["providers", "openai", "settings", "baseUrl"],
  },
  { name: "a JSON value that is not", format: "json", text: json, at: ["providers", "other", "settings", "baseUrl"] },
  { name: "a YAML value that is there", format: "yaml", text: yaml, at: ["models", 0, "apiBase"] },
  { name: "a YAML value that is not", format: "yaml", text: yaml, at: ["models", 1, "apiBase"] },
  { name: "a member of a YAML flow mapping", format: "yaml", text: yaml, at: ["models", 2, "apiBase"] },
] as const;

describe.each(rows)("$name", ({ format, text, at }) => {
  const before = valueAt(text, format, at);
  const edits = configEdits(text, format, at, "http://127.0.0.1:1/v1");
  const changed = edited(text, edits);

  it("is set, and nothing else", () => {
    expect(valueAt(changed, format, at)).toBe("http://127.0.0.1:1/v1");
    expect(changed).toContain("a comment");
    expect(changed.length - text.length).toBeLessThan(80);
  });

  it("is undone to the byte", () => expect(edited(changed, inverseOf(text, edits))).toBe(text));

  it("is undone by value where the text has changed elsewhere", () => {
    const elsewhere = changed.replace("a comment", "another comment");
    const undone = edited(elsewhere, configEdits(elsewhere, format, at, before as string | undefined));
    expect(valueAt(undone, format, at)).toBe(before);
  });
});

it("undoes any edit of any JSON object", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.string(), (value, key, url) => {
      const text = JSON.stringify(value, null, 2);
      const edits = configEdits(text, "json", [key], url);
      expect(edited(edited(text, edits), inverseOf(text, edits))).toBe(text);
    }),
  );
});
