import { assertEquals } from "@std/assert";
import { peek64 } from "../../../../ffi/machine.ts";
import { structsAt } from "../../../../loader/codec/codec.ts";
import { defineDriver, type ScriptedDriver } from "../../../../loader/drivers.ts";
import { apiRecording, readRecording, type RecordedCall, replayRecording } from "../../../../workbench/layers.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import {
  VK_API_VERSION_1_3,
  VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT,
  VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
  VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS,
  VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT,
  VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO as BUFFER_ADDRESS,
  VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO as FLAGS,
  VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO as MEMORY_ADDRESS,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES as FEATURES,
} from "../../../../loader/vk.ts";
import { withFolder } from "../../../support/temporary.ts";

/** The ability of a driver with opaque capture addresses. */
type Ability = "gives again" | "refuses" | "lacks";

/** The questions to a driver, and the host's writes when work began. */
interface Asked {
  readonly features: unknown[];
  readonly buffers: [flags: number, opaque: bigint | undefined][];
  readonly memories: [flags: number, opaque: bigint | undefined][];
  readonly addresses: bigint[];
  readonly written: bigint[];
}

type Chained = { readonly pNext: { readonly sType: number; opaqueCaptureAddress?: bigint; flags?: number }[] };

/** A driver whose addresses begin at one of its own. An opaque address is another number than the address. */
function capturingDriver(first: bigint, ability: Ability): { driver: ScriptedDriver; asked: Asked } {
  const asked: Asked = { features: [], buffers: [], memories: [], addresses: [], written: [] };
  const given = new Map<bigint, bigint>(), can = ability !== "lacks";
  let next = first, mapped = 0n;
  const opaqueIn = ({ pNext }: Chained, sType: number) =>
    pNext.find((each) => each.sType === sType)?.opaqueCaptureAddress;
  const bufferIn = (pInfo: bigint) => structsAt("VkBufferDeviceAddressInfo", pInfo, 1)[0].buffer as bigint;
  const driver = defineDriver({
    name: "capturing",
    physicalDevices: [{
      properties: { deviceName: "Capturing" },
      chain: [{ sType: FEATURES, bufferDeviceAddress: true, bufferDeviceAddressCaptureReplay: can } as never],
    }],
    commands: {
      vkCreateDevice(next, ...args) {
        const [{ pNext }] = structsAt("VkDeviceCreateInfo", args[1] as bigint, 1) as never as Record<
          string,
          unknown[]
        >[];
        asked.features.push((pNext[0] as Record<string, unknown>).bufferDeviceAddressCaptureReplay);
        return next(...args);
      },
      vkCreateBuffer(next, device, pInfo, allocator, out) {
        const [info] = structsAt(
          "VkBufferCreateInfo",
          pInfo,
          1,
        ) as never as (Chained & { flags: number; usage: number })[];
        const opaque = opaqueIn(info, BUFFER_ADDRESS);
        if (info.usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) asked.buffers.push([info.flags, opaque]);
        if (opaque !== undefined && ability === "refuses") return VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;
        const result = next(device, pInfo, allocator, out);
        if (opaque !== undefined) given.set(peek64(out), opaque * 2n);
        return result;
      },
      vkAllocateMemory(next, ...args) {
        const [info] = structsAt("VkMemoryAllocateInfo", args[1] as bigint, 1) as never as Chained[];
        const link = info.pNext.find(({ sType }) => sType === FLAGS);
        if (link) asked.memories.push([link.flags!, opaqueIn(info, MEMORY_ADDRESS)]);
        return next(...args);
      },
      vkGetBufferDeviceAddress(_next, _device, pInfo) {
        const buffer = bufferIn(pInfo);
        if (!given.has(buffer)) given.set(buffer, next += 0x1000n);
        asked.addresses.push(given.get(buffer)!);
        return given.get(buffer)!;
      },
      vkGetBufferOpaqueCaptureAddress: (_next, _device, pInfo) => given.get(bufferIn(pInfo))! / 2n,
      vkGetDeviceMemoryOpaqueCaptureAddress: () => 0x5000n,
      vkMapMemory(next, ...args) {
        const result = next(...args);
        mapped = peek64(args.at(-1) as bigint);
        return result;
      },
      vkQueueSubmit(next, ...args) {
        if (args[1] as number > 0 || mapped !== 0n) asked.written.push(peek64(mapped));
        return next(...args);
      },
    },
  });
  return { driver, asked };
}

/** Records a program that writes the address of a buffer into memory for the device. */
function recordCapturing(path: string, ability: Ability): Asked {
  const { driver, asked } = capturingDriver(0x7000_0000_0000n, ability);
  using _driver = driver;
  using recording = apiRecording({ path });
  using vulkan = loadVulkan({ driver, layers: [recording.layer] });
  using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: VK_API_VERSION_1_3 } });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  gpu.vkGetPhysicalDeviceQueueFamilyProperties();
  gpu.vkGetPhysicalDeviceMemoryProperties();
  gpu.vkGetPhysicalDeviceProperties();
  using device = gpu.vkCreateDevice({
    pNext: [{ sType: FEATURES, bufferDeviceAddress: true }] as never,
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  });
  const buffer = device.vkCreateBuffer({ size: 64n, usage: VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT });
  const memory = device.vkAllocateMemory({
    pNext: [{ sType: FLAGS, flags: VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT }],
    allocationSize: 256n,
    memoryTypeIndex: 0,
  });
  device.vkBindBufferMemory(buffer, memory, 0n);
  const address = device.vkGetBufferDeviceAddress({ buffer });
  const at = Deno.UnsafePointer.create(device.vkMapMemory(memory, 0n, 256n))!;
  new BigUint64Array(Deno.UnsafePointerView.getArrayBuffer(at, 8))[0] = address + 8n;
  const queue = device.vkGetDeviceQueue(0, 0);
  queue.vkQueueSubmit([{}]);
  queue.vkQueueWaitIdle();
  recording.close();
  if (recording.error) throw recording.error;
  assertEquals(recording.gaps, []);
  return asked;
}

const BUFFER = VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
const MEMORY = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT | VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
const RECORDED = 0x7000_0000_1000n;

for (
  const [ability, features, buffers, memories, address] of [
    ["gives again", true, [[BUFFER, RECORDED / 2n]], [[MEMORY, 0x5000n]], RECORDED],
    ["refuses", true, [[BUFFER, RECORDED / 2n], [BUFFER, undefined]], [[MEMORY, 0x5000n]], 0x2000n],
    ["lacks", false, [[0, undefined]], [[VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, undefined]], 0x2000n],
  ] as const
) {
  Deno.test(`replayRecording() on a device that ${ability} recorded addresses gives the program's memory the right ones`, () =>
    withFolder((folder) => {
      const path = `${folder}/captured.jsonl`, recorded = recordCapturing(path, "gives again");
      assertEquals([recorded.features, recorded.buffers, recorded.memories], [[true], [[BUFFER, undefined]], [[
        MEMORY,
        undefined,
      ]]]);
      const asks = readRecording(path).lines.find((line) =>
        "command" in line && line.command === "vkGetBufferDeviceAddress"
      ) as RecordedCall;
      assertEquals([asks.result, asks.opaque], [`${RECORDED}`, { buffer: `${RECORDED / 2n}`, memory: "20480" }]);
      const { driver, asked } = capturingDriver(0x1000n, ability);
      using _driver = driver;
      replayRecording({ driver }, path);
      assertEquals([asked.features, asked.buffers, asked.memories], [[features], buffers, memories] as never);
      assertEquals([asked.addresses, asked.written.at(-1)], [[address], address + 8n]);
    }));
}

Deno.test("apiRecording() asks for no addresses that can be given again where the device cannot", () =>
  withFolder((folder) => {
    const { features, buffers, memories } = recordCapturing(`${folder}/plain.jsonl`, "lacks");
    assertEquals([features, buffers, memories], [[false], [[0, undefined]], [[
      VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
      undefined,
    ]]]);
  }));
