import { createSign, generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { bodyOf, closing, listening } from "./http.ts";

/** Who signs in next. */
export interface Person {
  readonly email: string;
  readonly groups: readonly string[];
}

/** An OpenID Connect provider that signs in whoever it is told, without a question. */
export async function identityProvider(clientId: string) {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const codes = new Map<string, { readonly person: Person; readonly nonce: string | null }>();
  let next: Person = { email: "nobody@example.com", groups: [] };
  let issuer = "";
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const tokenFor = ({ person, nonce }: { readonly person: Person; readonly nonce: string | null }) => {
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: issuer, sub: person.email, aud: clientId, iat: now, exp: now + 600, nonce, ...person };
    const unsigned = `${encoded({ alg: "RS256", kid: "k" })}.${encoded({ ...claims, email_verified: true })}`;
    return `${unsigned}.${createSign("sha256").update(unsigned).sign(privateKey, "base64url")}`;
  };
  const answers: Readonly<Record<string, (query: URLSearchParams) => object>> = {
    "/.well-known/openid-configuration": () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ["RS256"],
    }),
    "/keys": () => ({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k", use: "sig", alg: "RS256" }] }),
    "/token": (form) => {
      const known = codes.get(form.get("code") ?? "");
      if (known === undefined) return { error: "invalid_grant" };
      return { token_type: "Bearer", expires_in: 600, access_token: randomUUID(), id_token: tokenFor(known) };
    },
  };
  const server = createServer(async (incoming, outgoing) => {
    const { pathname, searchParams } = new URL(incoming.url ?? "", "http://any");
    if (pathname === "/authorize") {
      const code = randomUUID();
      codes.set(code, { person: next, nonce: searchParams.get("nonce") });
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.search = String(new URLSearchParams({ code, state: searchParams.get("state") ?? "" }));
      outgoing.writeHead(302, { location: back.href }).end();
      return;
    }
    const form = new URLSearchParams(String(await bodyOf(incoming)));
    outgoing.writeHead(200, { "content-type": "application/json" });
    outgoing.end(JSON.stringify(answers[pathname]?.(form) ?? {}));
  });
  issuer = await listening(server);
  onTestFinished(() => closing(server));
  return {
    issuer,
    expect(person: Person) {
      next = person;
    },
  };
}
