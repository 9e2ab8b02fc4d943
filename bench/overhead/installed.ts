import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A program of this machine that can stand before the model, and its arguments. */
export interface InstalledProxy {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** It does not start without a key, asks the network for prices, and its warnings get in the way of its own start. */
const LITELLM_ENV = {
  LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY: "true",
  LITELLM_LOCAL_MODEL_COST_MAP: "True",
  LITELLM_LOG: "ERROR",
};

/** nginx as one process that passes everything on at once. Undefined where it is not installed. */
export function nginxBefore(upstreamPort: number, port: number): InstalledProxy | undefined {
  const command = onPath("nginx");
  if (command === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "unloop-bench-nginx-"));
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const folders = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`);
  const configuration = `
daemon off; master_process off; pid ${join(folder, "pid")}; error_log /dev/null;
events { worker_connections 4096; }
http {
  access_log off; client_max_body_size 64m; client_body_buffer_size 2m; keepalive_requests 1000000; ${folders.join(" ")}
  upstream model { server 127.0.0.1:${upstreamPort}; keepalive 256; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://model; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
  }
}`;
  writeFileSync(join(folder, "nginx.conf"), configuration);
  return { command, args: ["-e", "/dev/null", "-p", folder, "-c", join(folder, "nginx.conf")] };
}

/** Envoy with one worker and no retries. Undefined where it is not installed. */
export function envoyBefore(upstreamPort: number, port: number): InstalledProxy | undefined {
  const command = onPath("envoy");
  if (command === undefined) return undefined;
  const at = (port: number) => ({ socket_address: { address: "127.0.0.1", port_value: port } });
  const ofType = (type: string) => ({ "@type": `type.googleapis.com/envoy.extensions.filters.${type}` });
  const route = { match: { prefix: "/" }, route: { cluster: "model", timeout: "0s" } };
  const router = { name: "envoy.filters.http.router", typed_config: ofType("http.router.v3.Router") };
  const manager = {
    ...ofType("network.http_connection_manager.v3.HttpConnectionManager"),
    stat_prefix: "bench",
    http_filters: [router],
    route_config: { virtual_hosts: [{ name: "model", domains: ["*"], routes: [route] }] },
  };
  const filter = { name: "envoy.filters.network.http_connection_manager", typed_config: manager };
  const endpoints = [{ lb_endpoints: [{ endpoint: { address: at(upstreamPort) } }] }];
  const model = {
    name: "model",
    connect_timeout: "2s",
    load_assignment: { cluster_name: "model", endpoints },
  };
  const listener = { name: "agents", address: at(port), filter_chains: [{ filters: [filter] }] };
  const configuration = { static_resources: { listeners: [listener], clusters: [model] } };
  const args = ["--config-yaml", JSON.stringify(configuration), "--concurrency", "1", "--use-dynamic-base-id"];
  return { command, args: [...args, "-l", "off"] };
}

/** LiteLLM's proxy with one worker and no database. Undefined where it is not installed. */
export function litellmBefore(upstreamPort: number, port: number): InstalledProxy | undefined {
  const command = onPath("litellm");
  if (command === undefined) return undefined;
  const file = join(mkdtempSync(join(tmpdir(), "unloop-bench-litellm-")), "config.yaml");
  const model = { model: "openai/gpt-4.1", api_base: `http://127.0.0.1:${upstreamPort}/v1`, api_key: "sk-bench" };
  // JSON is YAML, too.
  writeFileSync(file, JSON.stringify({ model_list: [{ model_name: "gpt-4.1", litellm_params: model }] }));
  const args = ["--config", file, "--host", "127.0.0.1", "--port", String(port), "--num_workers", "1"];
  return { command, args, env: LITELLM_ENV };
}

function onPath(name: string): string | undefined {
  try {
    return execFileSync("which", [name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    // It is not installed; the others are measured without it.
    return undefined;
  }
}
