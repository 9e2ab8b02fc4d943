// Lays out the live page's files for Cloudflare's static assets; `wrangler.toml` names it as the build. Several may run at once.
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const page = at(".wrangler/page");

mkdirSync(`${page}/unloop/assets`, { recursive: true });
for (const name of readdirSync(at("src/page/assets"))) {
  const place = name === "index.html" ? name : `assets/${name}`;
  copyFileSync(at(`src/page/assets/${name}`), `${page}/unloop/${place}`);
}
copyFileSync(at("node_modules/htm/preact/standalone.module.js"), `${page}/unloop/assets/htm.js`);
mkdirSync(`${page}/unloop/api`, { recursive: true });
copyFileSync(at("docs/openapi.json"), `${page}/unloop/api/openapi.json`);
// As src/admin/admin.ts sets them on Node.
writeFileSync(
  `${page}/_headers`,
  [
    "/unloop/*",
    "  content-security-policy: default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "  x-content-type-options: nosniff",
    "  referrer-policy: no-referrer",
    "  cache-control: no-cache",
    "",
  ].join("\n"),
);
