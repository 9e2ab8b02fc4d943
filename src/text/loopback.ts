/** Whether a host to listen on is one that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return /^(127(\.\d{1,3}){3}|localhost|\[?::1\]?)$/i.test(host);
}

/** Host of a `Host` field or of an origin, without the port. */
export function hostIn(hostAndPort: string): string {
  return hostAndPort.replace(/:\d+$/, "");
}

/**
 * Whether nobody can have this host resolve to this machine but its own people: an address, a name of one word, or one under a name
 * that the public DNS does not have. What a page of another site is asked for by is none of them.
 */
export function isLocalName(host: string): boolean {
  return /^(?:[^.]*|\d{1,3}(?:\.\d{1,3}){3}|\[.*\]|.*\.(?:localhost|local|internal|test|home\.arpa))$/i.test(host);
}
