/** A socket's address, as programs write it and as the kernel takes it. */
export interface SocketAddress {
  /** The bytes of a `sockaddr_in` or `sockaddr_un`. */
  readonly bytes: Uint8Array;
  /** The path of a unix socket's file. */
  readonly path?: string;
}

const AF_UNIX = 1, AF_INET = 2;
/** Bytes of `sun_path`. */
const PATH_MOST = 108;
/** The place of the port in a `sockaddr_in`; its high byte is first. */
const PORT = 2;

/**
 * Reads `tcp:ADDRESS:PORT` (IPv4; port 0: any that is free), `unix:PATH` or
 * `abstract:NAME`. Throws a `TypeError` for other texts.
 */
export function socketAddress(text: string): SocketAddress {
  const [, kind, rest] = /^(tcp|unix|abstract):(.+)$/s.exec(text) ?? [];
  const address = kind === "tcp" ? internet(rest) : kind ? local(rest, kind === "abstract") : undefined;
  if (address) return address;
  throw new TypeError(`Cannot use "${text}" as an address: write tcp:127.0.0.1:PORT, unix:PATH or abstract:NAME`);
}

/** Writes the address of a connection as {@linkcode socketAddress} reads it. */
export function socketText(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  if (view.getUint16(0, true) === AF_INET) return `tcp:${bytes.slice(4, 8).join(".")}:${view.getUint16(PORT)}`;
  const text = (from: number, to: number) => new TextDecoder().decode(bytes.subarray(from, to));
  return bytes[2] === 0 ? `abstract:${text(3, bytes.length)}` : `unix:${text(2, bytes.indexOf(0, 2))}`;
}

function internet(text: string): SocketAddress | undefined {
  const numbers = /^(\d+)\.(\d+)\.(\d+)\.(\d+):(\d+)$/.exec(text)?.slice(1).map(Number);
  if (!numbers || numbers.slice(0, 4).some((each) => each > 255) || numbers[4] > 65535) return undefined;
  const bytes = new Uint8Array(16), view = new DataView(bytes.buffer);
  view.setUint16(0, AF_INET, true);
  view.setUint16(PORT, numbers[4]);
  bytes.set(numbers.slice(0, 4), 4);
  return { bytes };
}

function local(name: string, isAbstract: boolean): SocketAddress | undefined {
  const letters = new TextEncoder().encode(isAbstract ? `\0${name}` : `${name}\0`);
  if (letters.length > PATH_MOST || name.includes("\0")) return undefined;
  return { bytes: new Uint8Array([AF_UNIX, 0, ...letters]), path: isAbstract ? undefined : name };
}
