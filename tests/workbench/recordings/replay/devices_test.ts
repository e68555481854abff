import { assertEquals, assertMatch } from "@std/assert";
import {
  apiRecording,
  readRecording,
  type RecordedLine,
  type RecordedStream,
  replayRecording,
} from "../../../../workbench/layers.ts";
import { defineLayer, loadVulkan } from "../../../../loader/mod.ts";
import type { VkDevice, VkInstance } from "../../../../loader/gen/types_core_gen.ts";
import { VK_API_VERSION_1_1, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT } from "../../../../loader/vk.ts";
import { lavapipePath, swiftshaderPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";
import { fillAndRead, hostType, makeDevice } from "./filling.ts";
import { freshMemory } from "./fresh_memory.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), SWIFTSHADER = needs("SwiftShader", swiftshaderPath());
const BOTH = { ignore: LAVAPIPE.ignore || SWIFTSHADER.ignore };
/** The reads of a replay: the first and the last word of each. */
function replayedWords(driver: string | string[], recording: string | RecordedStream): number[][] {
  const all: number[][] = [];
  replayRecording({ driver }, recording, {
    onRead({ recorded, replayed }) {
      assertEquals(replayed, recorded);
      const words = new Uint32Array(replayed!.slice().buffer);
      all.push([words[0], words.at(-1)!]);
    },
  });
  return all;
}

/** Runs steps that each have a letter, under a recording layer. */
function recordSteps(path: string, driver: string, order: string): number[] {
  using recording = apiRecording({ path });
  using vulkan = loadVulkan({ driver, layers: [recording.layer, freshMemory()] });
  const instances: Record<string, VkInstance> = {};
  let device: VkDevice | undefined, type = 0, seen: number[] = [];
  const steps: Record<string, () => void> = {
    i: () => instances.own = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: VK_API_VERSION_1_1 } }),
    d() {
      const [gpu] = instances.own.vkEnumeratePhysicalDevices();
      type = hostType(gpu);
      device = makeDevice(gpu);
    },
    u: () => seen = fillAndRead(device!, type, 42),
    p() {
      instances.probe = vulkan.vkCreateInstance({});
      for (const gpu of instances.probe.vkEnumeratePhysicalDevices()) hostType(gpu);
    },
    P: () => instances.probe.close(),
  };
  for (const step of order.split(" ")) steps[step]();
  device!.close();
  instances.own.close();
  recording.close();
  assertEquals(recording.gaps, []);
  return seen;
}

/** A recording as it is without the lines that say which instance a physical device belongs to. */
function withoutEnumeration(path: string): RecordedStream {
  const { lines, data } = readRecording(path);
  const kept = (line: RecordedLine) => !("command" in line) || line.command !== "vkEnumeratePhysicalDevices";
  return { lines: lines.filter(kept), data };
}

// A library that looks at Vulkan with an instance of its own does so at any time.
for (const order of ["i p P d u", "i d p P u", "i p d P u", "p i d P u", "p P i d u"]) {
  Deno.test(`replayRecording() knows the instance of each device in the order ${order}`, BOTH, () => {
    withFolder((folder) => {
      const path = `${folder}/probed.jsonl`, seen = recordSteps(path, lavapipePath()!, order);
      assertEquals(seen, [42, 294]);
      for (const driver of [lavapipePath()!, swiftshaderPath()!]) {
        assertEquals(replayedWords(driver, path).at(-1), [42, 294]);
        assertEquals(replayedWords(driver, withoutEnumeration(path)).at(-1), [42, 294]);
      }
    });
  });
}

/** Gives the first physical device that is asked a second memory type, which hosts do not see, before its own. */
function twoTypes() {
  const PROPERTIES = 520, FLAGS = [4, 12], REQUIREMENTS = 24;
  let first = 0n;
  const view = (address: bigint, size: number) =>
    new DataView(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, size));
  return defineLayer({
    name: "VK_LAYER_TEST_two_types",
    commands: {
      vkGetPhysicalDeviceMemoryProperties(next, gpu, properties) {
        next(gpu, properties);
        first ||= gpu;
        if (gpu !== first) return;
        const told = view(properties, PROPERTIES), own = told.getUint32(FLAGS[0], true);
        told.setUint32(0, 2, true);
        told.setUint32(FLAGS[0], VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, true);
        told.setUint32(FLAGS[1], own, true);
      },
      vkGetBufferMemoryRequirements(next, device, buffer, requirements) {
        next(device, buffer, requirements);
        view(requirements, REQUIREMENTS).setUint32(16, 3, true);
      },
      vkAllocateMemory(next, device, info, ...rest) {
        const given = this.read("VkMemoryAllocateInfo", info) as { allocationSize: bigint };
        return next(device, this.write("VkMemoryAllocateInfo", { ...given, memoryTypeIndex: 0 }), ...rest);
      },
    },
  });
}

Deno.test("replayRecording() takes memory types and queue families of the physical device that was used", BOTH, () => {
  withFolder((folder) => {
    const path = `${folder}/two.jsonl`, drivers = [lavapipePath()!, swiftshaderPath()!];
    using recording = apiRecording({ path });
    {
      using vulkan = loadVulkan({ driver: drivers, layers: [recording.layer, twoTypes(), freshMemory()] });
      using instance = vulkan.vkCreateInstance({});
      const gpus = instance.vkEnumeratePhysicalDevices(), types = gpus.map(hostType);
      assertEquals(types, [1, 0]);
      using device = makeDevice(gpus[0]);
      assertEquals(fillAndRead(device, types[0], 5), [5, 35]);
    }
    recording.close();
    for (const driver of drivers) assertEquals(replayedWords(driver, path).at(-1), [5, 35]);
  });
});

Deno.test("replayRecording() makes devices of two physical devices of two, or of the only one", BOTH, () => {
  withFolder((folder) => {
    const path = `${folder}/both.jsonl`, drivers = [lavapipePath()!, swiftshaderPath()!];
    using recording = apiRecording({ path });
    {
      using vulkan = loadVulkan({ driver: drivers, layers: [recording.layer, freshMemory()] });
      using instance = vulkan.vkCreateInstance({});
      const gpus = instance.vkEnumeratePhysicalDevices().toReversed();
      using owned = new DisposableStack();
      const devices = gpus.map((gpu) => owned.use(makeDevice(gpu)));
      for (const [index, device] of devices.entries()) fillAndRead(device, hostType(gpus[index]), index + 1);
    }
    recording.close();
    assertEquals(replayedWords(drivers, path), [[1, 7], [2, 14]]);
    assertEquals(replayedWords(drivers[1], path), [[1, 7], [2, 14]]);
    const { deviceName } = replayRecording({ driver: drivers }, path);
    assertMatch(deviceName, /llvmpipe/);
    assertMatch(deviceName, /SwiftShader/);
    assertMatch(replayRecording({ driver: drivers[0] }, path).deviceName, /^llvmpipe[^S]*$/);
  });
});
