/** Whether a guard answers its health check at a URL, whatever its path. Asks a guard, and never an upstream. */
export async function isGuard(url: string, timeoutMs: number): Promise<boolean> {
  try {
    const answer = await fetch(new URL("/unloop/healthz", url), { signal: AbortSignal.timeout(timeoutMs) });
    return answer.ok;
  } catch {
    // Nothing listens there, or nothing that speaks HTTP.
    return false;
  }
}
