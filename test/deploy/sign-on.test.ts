import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isInstalled } from "../support/processes/installed.ts";
import { startGuard } from "../support/servers/guarded.ts";
import { freePort } from "../support/servers/http.ts";
import { identityProvider } from "../support/servers/identity-provider.ts";
import { answers, nginx, play } from "./play-recipe.ts";

/** A guard that gives groups their roles, and believes this machine. */
async function guardOfGroups() {
  const folder = mkdtempSync(join(tmpdir(), "unloop-recipe-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, "unloop.yaml");
  writeFileSync(
    config,
    `admin: { proxies: [127.0.0.1], tokens: [{ name: operators, role: operate, group: agents-operators }, { name: viewers, role: read, group: staff }] }`,
  );
  const guard = await startGuard({ upstream: "http://127.0.0.1:9", env: { UNLOOP_CONFIG: config } });
  onTestFinished(guard.close);
  return guard;
}

/** What a guard's status says behind a page, as JSON where it is. */
const statusAt = (page: string) => async (headers: Readonly<Record<string, string>>) => {
  const response = await fetch(`${page}/unloop/api/status`, { headers });
  const text = await response.text();
  return response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text;
};

/** oauth2-proxy, with a provider that signs in whoever it is told. @param page where browsers see it */
async function startSignOn(host: string, page: string, options: readonly string[]) {
  const provider = await identityProvider("unloop");
  const given = [
    ...["--provider=oidc", `--oidc-issuer-url=${provider.issuer}`, "--client-id=unloop", "--client-secret=secret"],
    ...[`--cookie-secret=${"c".repeat(32)}`, "--cookie-secure=false", "--email-domain=*"],
    ...[`--http-address=${host}`, `--redirect-url=${page}/oauth2/callback`, ...options],
  ];
  const child = spawn("oauth2-proxy", given, { stdio: "ignore" });
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill("SIGTERM")) await once(child, "exit");
  });
  await answers(`http://${host}/ping`, { said: () => "" });
  return provider;
}

/** What a browser does that follows all redirects. @returns its cookies */
async function signedIn(page: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = `${page}/oauth2/start?rd=/unloop/api/status`;
  for (let hop = 0; hop < 4; hop += 1) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    await response.text();
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null) break;
    url = new URL(location, url).href;
    if (url.endsWith("/unloop/api/status")) break;
  }
  return [...cookies].map((pair) => pair.join("=")).join("; ");
}

async function expectRolesByGroup(page: string, provider: Awaited<ReturnType<typeof startSignOn>>): Promise<void> {
  const status = statusAt(page);
  const claims = { "x-forwarded-groups": "agents-operators", "x-forwarded-email": "root@example.com" };
  expect(await status(claims)).toContain("Sign in");
  provider.expect({ email: "ana@example.com", groups: ["agents-operators"] });
  expect(await status({ cookie: await signedIn(page) })).toMatchObject({ actor: "ana@example.com", role: "operate" });
  provider.expect({ email: "ben@example.com", groups: ["others", "staff"] });
  const ben = { cookie: await signedIn(page), ...claims };
  expect(await status(ben)).toMatchObject({ actor: "ben@example.com", role: "read" });
  provider.expect({ email: "eve@example.com", groups: ["others"] });
  const eve = { cookie: await signedIn(page), ...claims };
  expect(await status(eve)).toMatchObject({ error: { code: "forbidden" } });
}

it.skipIf(!isInstalled("oauth2-proxy") || !isInstalled("nginx"))(
  "and so have those who sign in at oauth2-proxy, before the page or asked by nginx (left out without both programs)",
  { timeout: 120_000 },
  async () => {
    const guard = await guardOfGroups();
    const [host, asked, front] = await Promise.all([1, 2, 3].map(async () => `127.0.0.1:${await freePort()}`));
    const before = ["--pass-user-headers", `--upstream=${guard.url}`];
    await expectRolesByGroup(`http://${host}`, await startSignOn(host ?? "", `http://${host}`, before));
    const behind = ["--reverse-proxy", "--set-xauthrequest", "--upstream=static://202"];
    const provider = await startSignOn(asked ?? "", `http://${front}`, behind);
    const addresses = { "127.0.0.1:8081": front, "127.0.0.1:4180": asked, "127.0.0.1:8787": new URL(guard.url).host };
    await answers(`http://${front}/unloop/`, play("identity.conf", addresses as Record<string, string>, nginx));
    await expectRolesByGroup(`http://${front}`, provider);
  },
);
