import { assert, assertEquals, assertThrows } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { hasFault, takeFault } from "../../../ffi/error.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { createThunk } from "../../../ffi/thunk/thunk.ts";
import { codec } from "../../../loader/codec/codec.ts";
import { loadVulkan, VulkanError } from "../../../loader/mod.ts";
import { VK_ERROR_OUT_OF_HOST_MEMORY } from "../../../loader/vk.ts";
import type { VkAllocationCallbacks } from "../../../loader/types.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { openDevice } from "../../support/device.ts";
import { needs } from "../../support/require.ts";

const driver = lavapipePath()!, LAVAPIPE = needs("Mesa lavapipe", driver);

/** An allocator in TypeScript; `allocate` gets size and alignment and returns an address, or throws. */
function createAllocator(allocate: (size: bigint, alignment: bigint) => bigint) {
  const stack = new DisposableStack(), free = libcAddress("free");
  const freed: bigint[] = [];
  const address = (...thunk: Parameters<typeof createThunk>) => stack.use(createThunk(...thunk)).address;
  const callbacks: VkAllocationCallbacks = {
    // void *(void *pUserData, size_t size, size_t alignment, VkSystemAllocationScope)
    pfnAllocation: address("q:qqqs", (_user, size, alignment) => allocate(size as bigint, alignment as bigint)),
    // void *(void *pUserData, void *pOriginal, size_t size, size_t alignment, VkSystemAllocationScope)
    pfnReallocation: address("q:qqqqs", () => 0n),
    // void (void *pUserData, void *pMemory)
    pfnFree: address("v:qq", (_user, memory) => {
      freed.push(memory as bigint);
      invokeAddress(free, "v:q", [memory as bigint]);
    }),
  };
  return { callbacks, freed, [Symbol.dispose]: () => stack.dispose() };
}

function allocateByLibc(size: bigint, alignment: bigint): bigint {
  const rounded = (size + alignment - 1n) / alignment * alignment;
  return invokeAddress(libcAddress("aligned_alloc"), "q:qq", [alignment, rounded]) as bigint;
}

Deno.test("a driver allocates and frees through callbacks in TypeScript", LAVAPIPE, () => {
  using open = openDevice({ driver });
  const given: bigint[] = [];
  using allocator = createAllocator((size, alignment) => {
    given.push(allocateByLibc(size, alignment));
    return given.at(-1)!;
  });
  const fence = open.device.vkCreateFence({}, allocator.callbacks);
  assert(given.length > 0);
  open.device.vkDestroyFence(fence, allocator.callbacks);
  assertEquals(allocator.freed.filter((address) => address !== 0n).sort(), given.sort());
});

Deno.test("an allocator that returns NULL makes the driver fail", LAVAPIPE, () => {
  using open = openDevice({ driver });
  using allocator = createAllocator(() => 0n);
  const error = assertThrows(
    () => open.device.vkCreateBuffer({ size: 16n, usage: 2 }, allocator.callbacks),
    VulkanError,
  );
  assertEquals(error.code, VK_ERROR_OUT_OF_HOST_MEMORY);
});

Deno.test("what an allocator throws surfaces at the caller", LAVAPIPE, () => {
  using open = openDevice({ driver });
  const { device } = open;
  let calls = 0;
  using allocator = createAllocator(() => {
    throw new RangeError(`call ${++calls}`);
  });
  const create = () => device.vkCreateBuffer({ size: 16n, usage: 2 }, allocator.callbacks);
  for (const count of [1, 2]) assertThrows(create, RangeError, `call ${count}`);
  assertEquals(hasFault(), false);
  device.vkDestroyBuffer(device.vkCreateBuffer({ size: 16n, usage: 2 }));
});

Deno.test("the driver sees NULL from an allocator that throws, and fails", LAVAPIPE, () => {
  using open = openDevice({ driver });
  using allocator = createAllocator(() => {
    throw new RangeError("no memory for you");
  });
  const memory = arena(), mark = memory.mark(), out = memory.alloc(8);
  const [info, callbacks] = ["VkBufferCreateInfo", "VkAllocationCallbacks"].map((name) =>
    memory.alloc(codec(name).size)
  );
  codec("VkBufferCreateInfo").encode({ size: 16n, usage: 2 }, info);
  codec("VkAllocationCallbacks").encode({ ...allocator.callbacks }, callbacks);
  const address = open.device.vkGetDeviceProcAddr("vkCreateBuffer"), places = [info, callbacks, out];
  const result = invokeAddress(address, "s:qqqq", [
    open.device.handle,
    ...places.map((place) => memory.address(place)),
  ]);
  memory.release(mark);
  assertEquals(result, VK_ERROR_OUT_OF_HOST_MEMORY);
  assertEquals(String(takeFault()), "RangeError: no memory for you");
});

Deno.test("an allocator that throws while an instance or device is made leaves none", LAVAPIPE, () => {
  using vulkan = loadVulkan({ driver });
  using allocator = createAllocator(() => {
    throw new RangeError("no memory for you");
  });
  assertThrows(() => vulkan.vkCreateInstance({}, allocator.callbacks), RangeError, "no memory");
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const info = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };
  assertThrows(() => gpu.vkCreateDevice(info, allocator.callbacks), RangeError, "no memory");
  using _device = gpu.vkCreateDevice(info);
});
