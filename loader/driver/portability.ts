import { arena } from "../../ffi/arena.ts";
import { readCString } from "../../ffi/cstring.ts";
import { invoke, peek32, peek64, poke64 } from "../../ffi/machine.ts";
import { createThunk } from "../../ffi/thunk.ts";
import { type Driver, driverOf } from "./driver.ts";
import { driverProc } from "./probe.ts";

const EXTENSION = "VK_KHR_portability_enumeration";
/** VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR. */
const ENUMERATE_PORTABILITY = 1;
/** VkInstanceCreateInfo: its size and where its members are. */
const INFO = { size: 64, flags: 16, extensionCount: 48, extensionNames: 56 };
const EXTENSION_PROPERTIES = 260;
const VK_ERROR_INCOMPATIBLE_DRIVER = -9;

/** Whether the VkInstanceCreateInfo at an address asks for portability drivers: the extension and the flag, both. */
export function asksForPortability(info: bigint): boolean {
  const flagged = (peek32(info + BigInt(INFO.flags)) & ENUMERATE_PORTABILITY) !== 0;
  return flagged && extensionPointers(info).some((pointer) => readCString(pointer) === EXTENSION);
}

/**
 * Copies a VkInstanceCreateInfo into the arena without the flag and the
 * extension by which an application asks for portability drivers: for a driver
 * that does not offer the extension itself. Returns the copy's address.
 */
export function withoutPortability(info: bigint): bigint {
  const memory = arena(), kept = extensionPointers(info).filter((pointer) => readCString(pointer) !== EXTENSION);
  const copy = memory.copyIn(info, INFO.size), names = memory.alloc(8 * kept.length + 8);
  kept.forEach((pointer, index) => memory.view.setBigUint64(names + 8 * index, pointer, true));
  const flags = memory.view.getUint32(copy + INFO.flags, true) & ~ENUMERATE_PORTABILITY;
  memory.view.setUint32(copy + INFO.flags, flags, true);
  memory.view.setUint32(copy + INFO.extensionCount, kept.length, true);
  memory.view.setBigUint64(copy + INFO.extensionNames, memory.address(names), true);
  return memory.address(copy);
}

/**
 * A portability driver as applications may see it: hidden from those that do
 * not ask for it, whose vkCreateInstance then fails as without any driver.
 * Takes over `driver`.
 */
export function behindPortability(driver: Driver): Driver {
  const next = driverProc(driver, 0n, "vkCreateInstance"), offered = offersExtension(driver);
  const create = (info: bigint, allocator: bigint, out: bigint) => {
    if (!asksForPortability(info)) return VK_ERROR_INCOMPATIBLE_DRIVER;
    const memory = arena(), mark = memory.mark();
    try {
      return invoke(next, "s:qqq", [offered ? info : withoutPortability(info), allocator, out]) as number;
    } finally {
      memory.release(mark);
    }
  };
  const thunk = createThunk("s:qqq", create);
  return driverOf(driver.path, {
    ...driver,
    given: new Map([...driver.given, ["vkCreateInstance", thunk.address]]),
    close() {
      driver.close();
      thunk.free();
    },
  });
}

function extensionPointers(info: bigint): bigint[] {
  const count = peek32(info + BigInt(INFO.extensionCount)), names = peek64(info + BigInt(INFO.extensionNames));
  return names === 0n ? [] : Array.from({ length: count }, (_, index) => peek64(names + BigInt(8 * index)));
}

function offersExtension(driver: Driver): boolean {
  const enumerate = driverProc(driver, 0n, "vkEnumerateInstanceExtensionProperties");
  const memory = arena(), mark = memory.mark();
  try {
    const count = memory.alloc(8);
    poke64(memory.address(count), 0n);
    if (enumerate === 0n || (invoke(enumerate, "s:qqq", [0n, memory.address(count), 0n]) as number) < 0) return false;
    const room = memory.view.getUint32(count, true), list = memory.address(memory.alloc(EXTENSION_PROPERTIES * room));
    if ((invoke(enumerate, "s:qqq", [0n, memory.address(count), list]) as number) < 0) return false;
    const names = Array.from(
      { length: memory.view.getUint32(count, true) },
      (_, index) => index * EXTENSION_PROPERTIES,
    );
    return names.some((at) => readCString(list + BigInt(at)) === EXTENSION);
  } finally {
    memory.release(mark);
  }
}
