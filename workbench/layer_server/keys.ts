import { ARENA_MOST } from "../../ffi/arena_memory.ts";
import { CHANNEL_SIZE } from "./layout.ts";
import type { ChannelPlace, SocketPlace } from "./library/parts.ts";
import { KEY_SIZE } from "./messages.ts";

/** The keys that a program and its server show each other. */
export interface LayerKeys {
  /** The key of the program. */
  readonly programKey: Uint8Array;
  /** The key of the server. */
  readonly serverKey: Uint8Array;
}

/** The first line of a file of keys. */
const TITLE = "pumice keys of layers 1";
/** The places of the memory for structs, in GiB: below the 512 GiB that programs on most phones have. */
const FIRST = 64, PLACES = 192;
/** Bytes between the channel and the memory for structs. */
const CHANNEL_BELOW = 0x1000_0000n;

/** Makes random keys. */
export function newKeys(): LayerKeys {
  return keysOf(crypto.getRandomValues(new Uint8Array(2 * KEY_SIZE)));
}

/**
 * Reads the keys in a file, or writes new ones to it if it is not there; its
 * owner alone can read it then. Throws a `TypeError` for a folder or a device,
 * for a file that others can read, and for one without keys.
 */
export function keysIn(path: string): LayerKeys {
  const made = newKeys();
  try {
    Deno.writeTextFileSync(path, textOf(made), { createNew: true, mode: 0o600 });
    return made;
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  const { isFile, mode } = Deno.statSync(path);
  if (!isFile) {
    throw new TypeError(`Cannot use "${path}" as a file of keys: it is no file; give a file that is not there`);
  }
  if (((mode ?? 0) & 0o077) !== 0) {
    throw new TypeError(`Cannot use the keys in "${path}": other users can read them; delete the file, or chmod 600`);
  }
  const [title, digits = ""] = Deno.readTextFileSync(path).split("\n");
  if (title === TITLE && /^[0-9a-f]+$/.test(digits) && digits.length === 4 * KEY_SIZE) {
    return keysOf(Uint8Array.from(digits.match(/../g)!, (pair) => parseInt(pair, 16)));
  }
  throw new TypeError(`Cannot use "${path}" as a file of keys: it holds something else; give a file that is not there`);
}

/**
 * Returns the address at which a program with these keys maps the memory that stands for the server's. The server maps
 * its own memory at the same address: both derive the place from the keys.
 */
export function placeWith(keys: LayerKeys, to: Omit<SocketPlace, keyof LayerKeys>): ChannelPlace {
  const scratch = arenaWith(keys);
  return {
    path: "",
    channel: channelBelow(scratch),
    channelSize: CHANNEL_SIZE,
    scratch,
    scratchSize: ARENA_MOST,
    socket: { ...keys, ...to },
  };
}

/** Returns the address of the arena of a server that has these keys in a file. */
export function arenaWith({ programKey }: LayerKeys): bigint {
  return BigInt(FIRST + programKey[0] % PLACES) << 30n;
}

/** Returns the address of a program's channel, from the address of the memory for structs. */
export function channelBelow(scratch: bigint): bigint {
  return scratch - CHANNEL_BELOW;
}

/** Returns a time-out in the unit of programs: tenths of a second; 0 for none. */
export function patienceOf(milliseconds: number): number {
  return milliseconds === Infinity ? 0 : Math.max(1, Math.round(milliseconds / 100));
}

function keysOf(bytes: Uint8Array): LayerKeys {
  return { programKey: bytes.slice(0, KEY_SIZE), serverKey: bytes.slice(KEY_SIZE) };
}

function textOf({ programKey, serverKey }: LayerKeys): string {
  const digits = [...programKey, ...serverKey].map((byte) => byte.toString(16).padStart(2, "0"));
  return `${TITLE}\n${digits.join("")}\n`;
}
