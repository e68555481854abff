import { arena } from "../../ffi/arena.ts";
import { cstring } from "../../ffi/cstring.ts";
import { peek32, peek64 } from "../../ffi/machine.ts";
import { requestedExtensions, requestedVersion } from "../../loader/driver/create_info.ts";
import { VERSION } from "./constants.ts";

/** Where VkInstanceCreateInfo has its extensions, and its size. */
const COUNT = 48, NAMES = 56, SIZE = 64;
const CORE_1_1 = [
  "VK_KHR_get_physical_device_properties2",
  "VK_KHR_external_memory_capabilities",
  "VK_KHR_external_semaphore_capabilities",
  "VK_KHR_external_fence_capabilities",
];

/**
 * The VkInstanceCreateInfos to make an instance by, best first: with the
 * extensions that the adaptor can use below, then with those alone that every
 * driver of old has, then as it came. Which ones there are cannot be asked
 * before there is an instance.
 */
export function instanceInfos(info: bigint): bigint[] {
  const old = requestedVersion(info) < VERSION.V1_1 ? CORE_1_1 : [], known = requestedExtensions(info);
  const wanted = [[...old, "VK_KHR_surface"], old].map((names) => names.filter((name) => !known.includes(name)));
  return [...wanted.filter((names) => names.length > 0).map((names) => extended(info, names)), info];
}

function extended(info: bigint, more: readonly string[]): bigint {
  const memory = arena(), copy = memory.copyIn(info, SIZE), before = peek64(info + BigInt(NAMES));
  const count = before === 0n ? 0 : peek32(info + BigInt(COUNT)), names = memory.alloc(8 * (count + more.length));
  for (let index = 0; index < count; index++) {
    memory.view.setBigUint64(names + 8 * index, peek64(before + BigInt(8 * index)), true);
  }
  more.forEach((name, index) =>
    memory.view.setBigUint64(names + 8 * (count + index), memory.place(cstring(name)), true)
  );
  memory.view.setUint32(copy + COUNT, count + more.length, true);
  memory.view.setBigUint64(copy + NAMES, memory.address(names), true);
  return memory.address(copy);
}
