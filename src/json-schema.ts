/** A JSON Schema (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;
