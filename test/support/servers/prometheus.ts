import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { freePort } from "./http.ts";

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

export interface Prometheus {
  /** The samples of an expression now. @throws Error with Prometheus' own sentence where it cannot be read */
  query(expr: string): Promise<readonly Sample[]>;
}

/** A real Prometheus that scrapes one target each second. */
export async function startPrometheus(target: URL, path: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), "unloop-prometheus-"));
  const config = {
    global: { scrape_interval: "1s" },
    scrape_configs: [{ job_name: "unloop", metrics_path: path, static_configs: [{ targets: [target.host] }] }],
  };
  // JSON is YAML.
  writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  const flags = [
    `--config.file=${join(folder, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--web.listen-address=${address}`,
    "--log.level=error",
  ];
  const child = spawn("prometheus", flags, { stdio: "ignore" });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const query = async (expr: string): Promise<readonly Sample[]> => {
    const answer = await fetch(`http://${address}/api/v1/query?${new URLSearchParams({ query: expr })}`);
    const { status, error, data } = (await answer.json()) as {
      status: string;
      error?: string;
      data?: { result: readonly Sample[] };
    };
    if (status !== "success") throw new Error(error);
    return data?.result ?? [];
  };
  await expect.poll(() => query("count_over_time(up[1m])").catch(() => []), { timeout: 30_000 }).not.toEqual([]);
  return { query };
}
