import type { RequestMetadata } from "../../../src/session/session.ts";

export interface Said {
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

export function evidence({ headers = {}, path, query = {}, body = {} }: Said = {}): RequestMetadata {
  return {
    header: (name) => headers[name],
    headerNames: Object.keys(headers),
    pathSession: path,
    query: (name) => query[name],
    field: (path) => path.reduce<unknown>(memberOf, body),
  };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
