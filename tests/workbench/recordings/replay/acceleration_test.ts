import { assertEquals, assertThrows } from "@std/assert";
import { peek64 } from "../../../../ffi/machine.ts";
import { codec, structsAt } from "../../../../loader/codec/codec.ts";
import { defineDriver, type ScriptedDriver } from "../../../../loader/drivers.ts";
import { apiRecording, RecordingError, replayRecording } from "../../../../workbench/layers.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import type { VkDevice } from "../../../../loader/gen/types_core_gen.ts";
import { VK_API_VERSION_1_3 } from "../../../../loader/vk.ts";
import { withFolder } from "../../../support/temporary.ts";

const EXTENSIONS = ["VK_KHR_acceleration_structure", "VK_KHR_deferred_host_operations"];
/** Bytes of a VkAccelerationStructureInstanceKHR, and where the reference is in it. */
const INSTANCE = 64, REFERENCE = 56;

/** The values that a driver was given: by build, the addresses; and the references in instances when work begins. */
interface Given {
  readonly builds: { scratch: bigint; vertices: bigint; instances: bigint; ranges: number }[];
  readonly references: bigint[];
}

/** A driver that gives out addresses from one on, and says that acceleration structures need so many bytes. */
function acceleratingDriver(first: bigint, needed = 1024n): { driver: ScriptedDriver; given: Given } {
  const given: Given = { builds: [], references: [] };
  let next = first, mapped = 0n;
  const address = () => (next += 0x1_0000n) - 0x1_0000n;
  const driver = defineDriver({
    name: "accelerating",
    physicalDevices: [{
      extensions: EXTENSIONS,
      properties: { deviceName: "Accelerating" },
      memoryProperties: {
        memoryTypeCount: 1,
        memoryTypes: [{ propertyFlags: 7, heapIndex: 0 }],
        memoryHeapCount: 1,
        memoryHeaps: [{ size: 1n << 28n, flags: 1 }],
      } as never,
    }],
    commands: {
      vkGetBufferDeviceAddress: () => address(),
      vkGetAccelerationStructureDeviceAddressKHR: () => address(),
      vkGetAccelerationStructureBuildSizesKHR(_next, _device, _type, _info, _counts, pSizes) {
        codec("VkAccelerationStructureBuildSizesInfoKHR");
        new DataView(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(pSizes)!, 48))
          .setBigUint64(16, needed, true);
      },
      vkMapMemory(next, ...args) {
        const result = next(...args);
        mapped = peek64(args.at(-1) as bigint);
        return result;
      },
      vkCmdBuildAccelerationStructuresKHR(_next, _commands, count, pInfos, ppRanges) {
        const infos = structsAt("VkAccelerationStructureBuildGeometryInfoKHR", pInfos, count) as never as {
          scratchData: { deviceAddress: bigint };
          pGeometries: { geometry: { triangles: Deep; instances: Deep }; geometryType: number }[];
        }[];
        for (const [index, { scratchData, pGeometries: [{ geometry, geometryType }] }] of infos.entries()) {
          const isTriangles = geometryType === 0, ranges = peek64(ppRanges + BigInt(8 * index));
          given.builds.push({
            scratch: scratchData.deviceAddress,
            vertices: isTriangles ? geometry.triangles.vertexData!.deviceAddress : 0n,
            instances: isTriangles ? 0n : geometry.instances.data!.deviceAddress,
            ranges: Number(peek64(ranges) & 0xffff_ffffn),
          });
        }
      },
      vkQueueSubmit(next, ...args) {
        given.references.push(peek64(mapped + BigInt(REFERENCE)));
        return next(...args);
      },
    },
  });
  return { driver, given };
}

interface Deep {
  readonly vertexData?: { readonly deviceAddress: bigint };
  readonly data?: { readonly deviceAddress: bigint };
}

/** Builds a bottom level of triangles, and a top level of an instance of that, which the host writes. */
function build(device: VkDevice): void {
  const bufferOf = (size: bigint) => {
    const buffer = device.vkCreateBuffer({ size, usage: 0x20000 | 0x80000 | 0x100000 });
    const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex: 0 });
    device.vkBindBufferMemory(buffer, memory, 0n);
    return { buffer, memory, address: device.vkGetBufferDeviceAddress({ buffer }) };
  };
  const storage = bufferOf(4096n),
    scratch = bufferOf(4096n),
    vertices = bufferOf(256n),
    instances = bufferOf(BigInt(INSTANCE));
  const [bottom, top] = [1, 0].map((type, index) =>
    device.vkCreateAccelerationStructureKHR(
      { buffer: storage.buffer, offset: BigInt(2048 * index), size: 2048n, type } as never,
    )
  );
  const reference = device.vkGetAccelerationStructureDeviceAddressKHR({ accelerationStructure: bottom });
  const at = Deno.UnsafePointer.create(device.vkMapMemory(instances.memory, 0n, BigInt(INSTANCE)))!;
  new BigUint64Array(Deno.UnsafePointerView.getArrayBuffer(at, INSTANCE))[REFERENCE / 8] = reference;
  const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
  const info = (type: number, dst: bigint, geometry: unknown, geometryType: number) => ({
    type,
    dstAccelerationStructure: dst,
    pGeometries: [{ geometryType, geometry }],
    scratchData: { deviceAddress: scratch.address + 256n },
  });
  commands.vkBeginCommandBuffer({});
  const triangles = {
    vertexFormat: 106,
    vertexData: { deviceAddress: vertices.address + 16n },
    vertexStride: 12n,
    maxVertex: 2,
    indexType: 1000165000,
    indexData: { deviceAddress: 0n },
    transformData: { deviceAddress: 0n },
  };
  const pInfos = [
    info(1, bottom, { triangles }, 0),
    info(0, top, { instances: { arrayOfPointers: false, data: { deviceAddress: instances.address } } }, 2),
  ];
  commands.vkCmdBuildAccelerationStructuresKHR(
    pInfos as never,
    [[{ primitiveCount: 3 }], [{ primitiveCount: 1 }]] as never,
  );
  commands.vkEndCommandBuffer();
  const queue = device.vkGetDeviceQueue(0, 0);
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }]);
  queue.vkQueueWaitIdle();
}

function recordBuild(path: string): Given {
  const { driver, given } = acceleratingDriver(0x7000_0000_0000n);
  using _driver = driver;
  using recording = apiRecording({ path });
  using vulkan = loadVulkan({ driver, layers: [recording.layer] });
  using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: VK_API_VERSION_1_3 } });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  gpu.vkGetPhysicalDeviceQueueFamilyProperties();
  gpu.vkGetPhysicalDeviceMemoryProperties();
  using device = gpu.vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
    ppEnabledExtensionNames: EXTENSIONS,
  });
  build(device);
  recording.close();
  if (recording.error) throw recording.error;
  assertEquals(recording.gaps, []);
  return given;
}

Deno.test("replayRecording() gives builds of acceleration structures, and instances in memory, the addresses of this device", () =>
  withFolder((folder) => {
    const path = `${folder}/build.jsonl`, far = 0x9_0000_0000n, recorded = recordBuild(path);
    assertEquals(recorded.builds.map(({ ranges }) => ranges), [3, 1]);
    const { driver, given } = acceleratingDriver(0x7000_0000_0000n + far);
    using _driver = driver;
    replayRecording({ driver }, path);
    const moved = (address: bigint) => address === 0n ? 0n : address + far;
    assertEquals(
      given.builds,
      recorded.builds.map(({ scratch, vertices, instances, ranges }) => ({
        scratch: moved(scratch),
        vertices: moved(vertices),
        instances: moved(instances),
        ranges,
      })),
    );
    assertEquals(given.references.at(-1), moved(recorded.references[0]));
  }));

Deno.test("replayRecording() refuses a build that needs more than the recorded bytes, by line and name", () =>
  withFolder((folder) => {
    const path = `${folder}/build.jsonl`;
    recordBuild(path);
    const { driver } = acceleratingDriver(0x1_0000n, 2049n);
    using _driver = driver;
    const { message } = assertThrows(() => replayRecording({ driver }, path), RecordingError);
    assertEquals(
      /line \d+, vkCmdBuildAccelerationStructuresKHR: VkAccelerationStructureKHR#1 has 2048 bytes in the recording, and needs 2049 here/
        .test(message),
      true,
      message,
    );
  }));
