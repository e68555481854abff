/** Whether a name or address means this machine and nothing else. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname === "::1" || /^127(\.\d+){3}$/.test(hostname);
}

/**
 * Whether a request comes from a page of this server, or from a program. A
 * page of a foreign site gives itself away by its `Origin`; one whose name
 * was made to point here (DNS rebinding) by its `Host`. A server on a loopback
 * address answers loopback names only; others answer addresses, `localhost`
 * and the name they were given.
 */
export function isTrusted(headers: Headers, hostname: string): boolean {
  const host = headers.get("host"), origin = headers.get("origin");
  if (host === null || !isOwnName(nameOf(host), hostname)) return false;
  return origin === null || origin === `http://${host}`;
}

function nameOf(host: string): string {
  return host.replace(/:\d*$/, "").toLowerCase();
}

function isOwnName(name: string, hostname: string): boolean {
  if (isLoopback(name)) return true;
  return !isLoopback(hostname) && (name === hostname.toLowerCase() || isAddress(name));
}

function isAddress(name: string): boolean {
  return /^\d+(\.\d+){3}$/.test(name) || /^\[[\da-f:.]+\]$/.test(name);
}
