/** A target as it came, and the session that its path may name. */
export interface Addressed {
  /** Path and query for the upstream. */
  readonly target: string;
  /** As it stands in the path, percent-encoding included. */
  readonly session: string | undefined;
}

const FORM = /^\/session\/([^/?#]+)(?=\/)/;

/** `/session/<id>/v1/…`: an id in the base URL needs no support by the client at all. */
export function sessionInPath(target: string): Addressed {
  const match = FORM.exec(target);
  return match === null ? { target, session: undefined } : { target: target.slice(match[0].length), session: match[1] };
}
