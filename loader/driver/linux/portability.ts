import { arena, inFrame } from "../../../ffi/arena.ts";
import { invokeAddress, peek32 } from "../../../ffi/machine.ts";
import { createThunk } from "../../../ffi/thunk/thunk.ts";
import { type Driver, driverOf } from "../interface/driver.ts";
import { enabledExtensions, infoForDriver, INSTANCE_CREATE_INFO } from "../structs/create_info.ts";
import { instanceExtensions, mergeExtensions, writeExtensionList } from "../interface/extension_list.ts";
import { driverProc } from "../interface/probe.ts";
import {
  offsetsOfVkInstanceCreateInfo,
  VK_ERROR_INCOMPATIBLE_DRIVER,
  VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR,
  VkInstanceCreateInfo,
} from "../../gen/native_gen.ts";

const EXTENSION = "VK_KHR_portability_enumeration";

/**
 * Whether the VkInstanceCreateInfo at an address asks for portability drivers,
 * with both the extension and the flag.
 */
export function asksForPortability(info: bigint): boolean {
  return hasFlag(info) && hasExtension(info);
}

/**
 * Returns the Khronos loader's message if there are only portability drivers
 * and the application does not ask for them.
 */
export function missesPortability(info: bigint): string {
  if (hasFlag(info)) {
    return `VkInstanceCreateInfo: If flags has the ${BIT} bit set, the list of enabled extensions in ` +
      `ppEnabledExtensionNames must contain ${EXTENSION} [VUID-VkInstanceCreateInfo-flags-06559 ]` +
      `${WISHING} enable the ${EXTENSION} instance extension.`;
  }
  const extension = hasExtension(info) ? "" : ` and enable the ${EXTENSION} instance extension`;
  return "vkCreateInstance: Found drivers that contain devices which support the portability subset, but the instance " +
    "does not enumerate portability drivers! " +
    `${WISHING} set the ${BIT} bit in the VkInstanceCreateInfo flags${extension}.`;
}

const BIT = "VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR";
const WISHING = "Applications that wish to enumerate portability drivers must";

function hasFlag(info: bigint): boolean {
  return (peek32(info + VkInstanceCreateInfo.flags) & VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR) !== 0;
}

function hasExtension(info: bigint): boolean {
  return enabledExtensions(info)?.includes(EXTENSION) ?? false;
}

/**
 * Copies a VkInstanceCreateInfo into the arena without the flag and the
 * extension for portability drivers, for a driver that does not offer the
 * extension itself. Returns the copy's address.
 */
export function withoutPortability(info: bigint): bigint {
  const memory = arena(), copy = infoForDriver(info, INSTANCE_CREATE_INFO, (name) => name !== EXTENSION);
  const flags = memory.view.getUint32(copy + offsetsOfVkInstanceCreateInfo.flags, true) &
    ~VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
  memory.view.setUint32(copy + offsetsOfVkInstanceCreateInfo.flags, flags, true);
  return memory.address(copy);
}

/**
 * Hides a portability driver from applications that do not ask for one: their
 * vkCreateInstance fails as without any driver. Takes ownership of `driver`.
 */
export function behindPortability(driver: Driver): Driver {
  const next = driverProc(driver, 0n, "vkCreateInstance"), own = instanceExtensions(driver);
  const offered = own.some(({ extensionName }) => extensionName === EXTENSION);
  const create = (info: bigint, allocator: bigint, out: bigint) => {
    if (!asksForPortability(info)) return VK_ERROR_INCOMPATIBLE_DRIVER;
    return inFrame(() =>
      invokeAddress(next, "s:qqq", [offered ? info : withoutPortability(info), allocator, out]) as number
    );
  };
  const thunk = createThunk("s:qqq", create);
  const listed = mergeExtensions(own, [{ extensionName: EXTENSION, specVersion: 1 }]);
  const list = createThunk("s:qqq", (...args) => writeExtensionList(listed, args[1] as bigint, args[2] as bigint));
  return driverOf(driver.path, {
    ...driver,
    given: new Map([
      ...driver.given,
      ["vkCreateInstance", thunk.address],
      ["vkEnumerateInstanceExtensionProperties", list.address],
    ]),
    close() {
      driver.close();
      thunk.free();
      list.free();
    },
  });
}
