import { withoutEndSlashes } from "../../text/without-end-slashes.ts";
import { UnloopError } from "../../errors.ts";

/** A dot segment as any server behind may read one: encoded, encoded twice, or with parameters behind it. */
const CLIMBS = /(^|[\\/]|%2f|%5c)(\.|%2e){1,2}([\\/;]|%2f|%5c|%3b|$)/i;
const ENCODED_PERCENT = /%(?:25)+/g;

/**
 * Where a target goes: the base's origin, and the base's path before the target's, with one version segment if both have it.
 * The target is kept verbatim and can neither change the host nor leave the base's path.
 * @throws UnloopError `bad_target`
 */
export function joinUpstream(base: URL, target: string): { origin: string; path: string } {
  const pathLength = target.search(/[?#]|$/);
  const targetPath = target.slice(0, pathLength);
  // A backslash is a slash to some parsers, and what is encoded the same as what is not.
  const climbs = CLIMBS.test(targetPath.replace(ENCODED_PERCENT, "%"));
  if (!target.startsWith("/") || target.includes("#") || climbs || /[^\x21-\xff]|\x7f/.test(target)) {
    throw new UnloopError("bad_target", "The request target is not a plain path.");
  }
  const prefix = withoutEndSlashes(base.pathname);
  const version = /\/v\d\w*$/.exec(prefix)?.[0];
  const repeated = version !== undefined && `${targetPath}/`.startsWith(`${version}/`);
  const rest = repeated ? targetPath.slice(version.length) : targetPath;
  return { origin: base.origin, path: (prefix + rest || "/") + target.slice(pathLength) };
}
