import type { Fields } from "./transport.ts";

/** Names and values in turn, as node and undici take them; a field that came several times is there several times. */
export function toPairs(fields: Fields): string[] {
  const pairs: string[] = [];
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (typeof value === "string") pairs.push(name, value);
    else for (const one of value ?? []) pairs.push(name, one);
  }
  return pairs;
}

export function toHeaders(fields: Fields): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of typeof value === "string" ? [value] : (value ?? [])) headers.append(name, one);
  }
  return headers;
}

export function fromHeaders(headers: Headers): Fields {
  const cookies = headers.getSetCookie();
  const joined = [...headers].filter(([name]) => name !== "set-cookie");
  return Object.fromEntries(cookies.length > 0 ? [...joined, ["set-cookie", cookies]] : joined);
}

/** Length that `content-length` declares; undefined without one. */
export function declaredLength(fields: Fields): number | undefined {
  const value = fields["content-length"];
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : undefined;
}
