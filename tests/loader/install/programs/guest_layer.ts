/**
 * A TypeScript layer that lists two physical devices of its own behind the
 * driver's: handles at which nothing can be read. PUMICE_TEST_BLOCK has other
 * threads wait for it.
 *
 * @module
 */
import { peek32, peek64, poke32, poke64, poke8 } from "../../../../ffi/machine.ts";
import { defineLayer } from "../../../../loader/mod.ts";

const VK_SUCCESS = 0, VK_INCOMPLETE = 5, VK_ERROR_INITIALIZATION_FAILED = -3, DEVICE_GROUP = 1_000_070_001;
const VIRTUAL = [16n, 0x7fff_ffff_f000n];
/** VkPhysicalDeviceGroupProperties, and VkPhysicalDeviceProperties.deviceName. */
const GROUP = { size: 288n, count: 16n, handles: 24n }, NAME = 20n;
const isVirtual = (gpu: bigint) => VIRTUAL.includes(gpu);
let driverGpu = 0n;

/** Lists the virtual devices behind what `list` has, by an element's size and what writes one. */
function listBehind(count: bigint, out: bigint, size: bigint, list: () => number, write: Write): number {
  const room = peek32(count), result = list(), listed = peek32(count);
  const written = out === 0n ? VIRTUAL : VIRTUAL.slice(0, room - listed);
  if (out !== 0n) written.forEach((virtualDevice, index) => write(out + size * BigInt(listed + index), virtualDevice));
  poke32(count, listed + written.length);
  return result === VK_SUCCESS && written.length < VIRTUAL.length ? VK_INCOMPLETE : result;
}

/** The physical devices of the VkDeviceGroupDeviceCreateInfo that a VkDeviceCreateInfo begins its chain with. */
function groupOf(info: bigint): bigint[] {
  const group = peek64(info + 8n);
  if (group === 0n || peek32(group) !== DEVICE_GROUP) return [];
  return Array.from({ length: peek32(group + 16n) }, (_, index) => peek64(peek64(group + 24n) + BigInt(8 * index)));
}

type Write = (at: bigint, virtualDevice: bigint) => void;

/** The layer. */
export const guestLayer = defineLayer({
  name: "VK_LAYER_TEST_guest",
  ownHandles: true,
  onForeignThread: Deno.env.get("PUMICE_TEST_BLOCK") ? "block" : "skip",
  commands: {
    vkEnumeratePhysicalDevices(next, instance, count, out) {
      return listBehind(count, out, 8n, () => next(instance, count, out), poke64);
    },
    vkEnumeratePhysicalDeviceGroups(next, instance, count, out) {
      return listBehind(count, out, GROUP.size, () => next(instance, count, out), (at, virtualDevice) => {
        poke32(at + GROUP.count, 1);
        poke64(at + GROUP.handles, virtualDevice);
      });
    },
    vkGetPhysicalDeviceProperties(next, gpu, properties) {
      if (!isVirtual(gpu)) {
        driverGpu = gpu;
        return next(gpu, properties);
      }
      [..."Guest\0"].forEach((letter, index) => poke8(properties + NAME + BigInt(index), letter.charCodeAt(0)));
    },
    vkGetPhysicalDeviceQueueFamilyProperties(next, gpu, count, out) {
      return isVirtual(gpu) ? poke32(count, 5) : next(gpu, count, out);
    },
    vkCreateDevice(next, gpu, info, allocator, device) {
      if (!groupOf(info).every((each) => isVirtual(each) || each === driverGpu)) return VK_ERROR_INITIALIZATION_FAILED;
      return next(isVirtual(gpu) ? driverGpu : gpu, info, allocator, device);
    },
  },
});
