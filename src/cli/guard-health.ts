import { UnloopError } from "../errors.ts";
import { httpUrl } from "../shapes/shapes.ts";

export interface GuardAnswer {
  readonly status: number;
  readonly isPage: boolean;
  readonly text: string;
}

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Undefined where no guard answers in time. */
export async function askGuard(
  guard: string,
  path: string,
  { headers = {}, timeoutMs = 10_000 }: Asked = {},
): Promise<GuardAnswer | undefined> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(new URL(path, guard), { headers, signal, redirect: "manual" });
    const isPage = /\bhtml\b/i.test(answer.headers.get("content-type") ?? "");
    return { status: answer.status, isPage, text: await answer.text() };
  } catch {
    return undefined;
  }
}

/** Whether a guard answers its health check at a URL, whatever its path. Asks a guard, and never an upstream. */
export async function isGuard(url: string, timeoutMs: number): Promise<boolean> {
  return (await askGuard(url, "/unloop/healthz", { timeoutMs }))?.status === 200;
}

export function guardUrl(url: string): string {
  if (httpUrl(url) !== undefined) return url;
  throw new UnloopError(
    "bad_setting",
    `--guard must be a URL such as http://127.0.0.1:8787, not ${JSON.stringify(url)}.`,
  );
}
