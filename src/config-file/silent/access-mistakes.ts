import type { Path, Problem } from "../../shapes/shapes.ts";
import { sha256Hex } from "../../text/keyed-hash.ts";
import type { ConfigFileText } from "../schema.ts";
import { meant } from "./unmatched-patterns.ts";

type Admin = NonNullable<ConfigFileText["admin"]>;

/** Keys, tokens and groups that let somebody in who was not meant, or nobody. */
export function accessMistakes({ clients = [], admin = {} }: ConfigFileText): readonly Problem[] {
  const { tokens = [], proxies = [] } = admin;
  const tenants = clients.map(({ tenant }) => tenant);
  return [
    ...sameKeys([
      ...clients.map(({ sha256 }, i) => ({ path: ["clients", i, "sha256"], sha256 })),
      ...tokens.map(({ sha256 }, i) => ({ path: ["admin", "tokens", i, "sha256"], sha256 })),
    ]),
    ...twins("tenant", tenants),
    ...twins(
      "name",
      clients.map(({ name }) => name),
    ),
    ...tokens.flatMap(({ tenant }, i) => misspelt(["admin", "tokens", i, "tenant"], tenant, tenants)),
    ...proxies.flatMap((network, i) => noNetwork(["admin", "proxies", i], network)),
    ...groups({ tokens, proxies }),
  ];
}

interface Key {
  readonly path: Path;
  readonly sha256: string | undefined;
}

/** Whoever has an agent's key could otherwise be an operator. */
function sameKeys(keys: readonly Key[]): readonly Problem[] {
  const empty = sha256Hex("");
  return keys.flatMap(({ path, sha256 }, i) => {
    if (sha256 === undefined) return [];
    if (sha256 === empty) return [{ path, problem: "is that of an empty text; `unloop client-key` makes a key" }];
    const { path: [list] = [] } = keys.slice(0, i).find((one) => one.sha256 === sha256) ?? {};
    const whose = list === "clients" ? "another client's" : "another token's";
    return list === undefined ? [] : [{ path, problem: `is ${whose}, too; each needs a key of its own.` }];
  });
}

/** Patterns do not tell them apart, everything else does. */
function twins(field: "name" | "tenant", texts: readonly string[]): readonly Problem[] {
  const first = new Map<string, string>();
  return texts.flatMap((text, i) => {
    const earlier = first.get(text.toLowerCase()) ?? text;
    first.set(text.toLowerCase(), earlier);
    const problem = "is an earlier one in other letters; write them alike, or apart";
    return earlier === text ? [] : [{ path: ["clients", i, field], problem }];
  });
}

function groups({ tokens = [], proxies = [] }: Admin): readonly Problem[] {
  const named = tokens.map(({ group }) => group);
  const at = (i: number): Path => ["admin", "tokens", i, "group"];
  if (proxies.length > 0 && named.every((group) => group === undefined))
    return [{ path: ["admin", "proxies"], problem: "has no effect: no entry of admin.tokens has a group" }];
  return named.flatMap((group, i) => {
    if (group === undefined) return [];
    if (proxies.length === 0) return [{ path: at(i), problem: "is told by no proxy; name one in admin.proxies" }];
    const problem = "is an earlier entry's, which is taken; people have one role and tenant";
    return named.indexOf(group) < i ? [{ path: at(i), problem }] : [];
  });
}

/** IPv4 or IPv6, with or without the bits of a network. */
function noNetwork(path: Path, network: string): readonly Problem[] {
  const [, ip = "", bits = 0] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(network) ?? [];
  const isV4 = /^\d+\.\d+\.\d+\.\d+$/.test(ip) && URL.canParse(`http://${ip}`) && Number(bits) <= 32;
  const isV6 = ip.includes(":") && URL.canParse(`http://[${ip}]`) && Number(bits) <= 128;
  if (!isV4 && !isV6) return [{ path, problem: "must be an IP address, or a network such as 10.0.0.0/24" }];
  const isAll = network.includes("/") && Number(bits) === 0;
  return isAll ? [{ path, problem: "is every address: anybody could say who they are. Name the proxy's" }] : [];
}

/** A team may get its first key later; a name that is almost a client's tenant is a slip. */
function misspelt(path: Path, tenant: string | undefined, tenants: readonly string[]): readonly Problem[] {
  if (tenant === undefined || tenant === "*" || tenants.includes(tenant)) return [];
  const did = meant(tenant, tenants);
  return did === "" ? [] : [{ path, problem: `is no tenant of a client key${did}` }];
}
