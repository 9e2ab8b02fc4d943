const SAMPLES = 1024;

/**
 * A few letters that differ when the data does: to an agent that scrolls, a changed screenshot is progress.
 * Samples, because a run's screenshots are megabytes; compressed data differs throughout once it differs at all.
 */
export function likeness(data: string | undefined): string {
  if (data === undefined) return "";
  const stride = Math.max(1, Math.floor(data.length / SAMPLES));
  let hash = data.length;
  for (let at = 0; at < data.length; at += stride) hash = Math.imul(hash ^ data.charCodeAt(at), 16_777_619);
  // Letters alone, lest anything take it for a number or an id.
  return ` ${(hash >>> 0).toString(26).replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? "")}`;
}
