import { inFrame } from "../../../ffi/arena.ts";
import { closeDescriptor, readInto } from "../../../ffi/file/file_descriptor.ts";
import { callLibc } from "../../../ffi/invoke.ts";
import { WsiError } from "../../../wsi/error.ts";
import { Readiness } from "../../../wsi/fence/readiness.ts";

/** `AF_NETLINK`, `SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK`, `NETLINK_KOBJECT_UEVENT`, and the kernel's group. */
const AF_NETLINK = 16, SOCK_RAW_CLOEXEC_NONBLOCK = 3 | 0o2000000 | 0o4000, UEVENT = 15, KERNEL = 1;
/** `struct sockaddr_nl` of `linux/netlink.h`. */
const ADDRESS = { family: 0, groups: 8, size: 12 };
const ROOM = 8192;

/**
 * Listens to the kernel, and calls back when the connectors of a card may have
 * changed. Needs no permission but `--allow-ffi`. Returns a function that ends
 * this, and resolves when no thread listens any more; `undefined` where the
 * kernel lets nobody listen.
 */
export function watchHotplug(changed: () => void): (() => Promise<void>) | undefined {
  const socket = callLibc("socket", "s:sss", AF_NETLINK, SOCK_RAW_CLOEXEC_NONBLOCK, UEVENT);
  if (socket < 0) return undefined;
  if (!bind(socket)) {
    closeDescriptor(socket);
    return undefined;
  }
  const readiness = new Readiness(), ended = new AbortController();
  const listening = listen(socket, readiness, ended.signal, changed);
  return async () => {
    ended.abort();
    readiness.close();
    await Promise.all([listening, readiness.ended]);
  };
}

async function listen(socket: number, readiness: Readiness, until: AbortSignal, changed: () => void): Promise<void> {
  try {
    while (!until.aborted) {
      await readiness.whenReadable(socket, until);
      if (!until.aborted && readUevents(socket).some(isHotplug)) changed();
    }
  } catch (error) {
    if (!(error instanceof WsiError)) throw error; // ended while it waited
  } finally {
    closeDescriptor(socket);
  }
}

function bind(socket: number): boolean {
  return inFrame((memory) => {
    const at = memory.alloc(ADDRESS.size);
    memory.bytes.fill(0, at, at + ADDRESS.size);
    memory.view.setUint16(at + ADDRESS.family, AF_NETLINK, true);
    memory.view.setUint32(at + ADDRESS.groups, KERNEL, true);
    return callLibc("bind", "s:sow", socket, at, ADDRESS.size) === 0;
  });
}

/** Reads what the kernel has told: a text each, of `NAME=VALUE` and a NUL. */
function readUevents(socket: number): string[] {
  return inFrame((memory) => {
    const at = memory.alloc(ROOM), events: string[] = [];
    for (let size = readInto(socket, at, ROOM); size > 0; size = readInto(socket, at, ROOM)) {
      events.push(new TextDecoder().decode(memory.bytes.slice(at, at + size)));
    }
    return events;
  });
}

/** A card tells hotplugs as `HOTPLUG=1`; what a program wrote into the card's `uevent` file has a prefix. */
function isHotplug(event: string): boolean {
  const values = event.split("\0");
  return values.includes("SUBSYSTEM=drm") && values.some((each) => /^(SYNTH_ARG_)?HOTPLUG=1$/.test(each));
}
