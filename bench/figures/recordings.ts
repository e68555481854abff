import { loadVulkan } from "../../loader/mod.ts";
import type { Layer } from "../../loader/layer.ts";
import { VK_BUFFER_USAGE_TRANSFER_SRC_BIT, VK_WHOLE_SIZE } from "../../loader/vk.ts";
import { apiRecording } from "../../workbench/layers.ts";
import type { Figure } from "../figure.ts";
import { compare, type Work } from "../measure.ts";
import type { Parts } from "../parts.ts";

const MAPPED = 512 << 20, SUBMITS = 20;

/** The cost of submissions under a recording while much memory is mapped, of which nothing is written. */
export function recordingFigures({ lavapipe }: Parts): Figure[] {
  const folder = Deno.makeTempDirSync();
  try {
    using recording = apiRecording({ path: `${folder}/mapped.jsonl` });
    const { ours, theirs } = withMapped(
      lavapipe,
      [recording.layer],
      (recorded) => withMapped(lavapipe, [], (plain) => compare(recorded, plain, SUBMITS)),
    );
    const { error, gaps } = recording;
    if (error !== undefined || gaps.length > 0) throw new Error(`Cannot record: ${error ?? gaps.join("; ")}`);
    const meaning =
      "a recorded submission and its end, over one without a recording, while 512 MiB are mapped, unchanged";
    return [{ name: "record_mapped_ms", meaning, value: (ours - theirs) / 1e6, unit: "ms", goal: 2 }];
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function withMapped<T>(driver: string, layers: Layer[], use: (submit: Work) => T): T {
  using vulkan = loadVulkan({ driver, layers });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  gpu.vkGetPhysicalDeviceMemoryProperties();
  using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  const size = BigInt(MAPPED), memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex: 0 });
  const buffer = device.vkCreateBuffer({ size, usage: VK_BUFFER_USAGE_TRANSFER_SRC_BIT });
  device.vkBindBufferMemory(buffer, memory, 0n);
  const address = Deno.UnsafePointer.create(device.vkMapMemory(memory, 0n, VK_WHOLE_SIZE))!;
  new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(address, MAPPED)).fill(3);
  const queue = device.vkGetDeviceQueue(0, 0);
  const result = use((times) => {
    for (let submit = 0; submit < times; submit++) {
      queue.vkQueueSubmit([{}]);
      queue.vkQueueWaitIdle();
    }
  });
  device.vkDestroyBuffer(buffer);
  device.vkFreeMemory(memory);
  return result;
}
