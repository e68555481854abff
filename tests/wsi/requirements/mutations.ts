/**
 * For every rule a lie that must change its verdict: a driver that has
 * everything loses, or seems to lose, just what the rule is about.
 *
 * @module
 */
import { closeDescriptor, createEvent, duplicate } from "../../../ffi/file/file_descriptor.ts";
import { peek64, poke32, poke8 } from "../../../ffi/machine.ts";
import type { DeviceLimitsOptions } from "../../../workbench/layers.ts";
import { allExtensions } from "../../../loader/command/registry/extension.ts";
import { defineLayer } from "../../../loader/layers/define/define_layer.ts";
import { structAt } from "../../../loader/codec/codec.ts";
import type { Layer } from "../../../loader/mod.ts";
import { TESTED_EXTENSIONS } from "../../../loader/requirements/extension_rules.ts";
import { knownProfiles } from "../../../loader/requirements/profiles/profile_set.ts";
import type { VulkanCheckOptions } from "../../../loader/requirements/run_check.ts";
import type { RequirementStatus } from "../../../loader/requirements/verdict.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { bufferOfHandle } from "../../../wsi/buffer/known_buffers.ts";

/** The lies of a driver, and the result. */
export interface Mutation {
  /** By the `deviceLimits` layer. */
  readonly limits?: DeviceLimitsOptions;
  /** By a layer of the test's own, made anew for each run. */
  readonly layer?: () => Layer & Partial<Disposable>;
  /** By options of the check. */
  readonly options?: VulkanCheckOptions;
  /** The new status of the verdict. Default: fail. */
  readonly to?: RequirementStatus;
  /** The options with which the rule passes, where they are more than the perfect device. */
  readonly good?: Pick<Mutation, "limits" | "options">;
}

const HARDWARE_BUFFER = "VK_ANDROID_external_memory_android_hardware_buffer";
const DRIVER_PROPERTIES = 1000196000, PRESENTATION_PROPERTIES = 1000010002, SWAPCHAIN_IMAGE = 1000010001;
const FORMAT_NOT_SUPPORTED = -11, INITIALIZATION_FAILED = -3, SRGB = 43, ASTC_4X4 = 157;
/** A wait that is in vain ends soon. */
const IMPATIENT = { timeout: 100 } as const;

/** The newest release and level whose list of tested extensions is known here. */
const OLDER = { release: 15, deqpLevel: "2024-03-01" } as const;
/** An extension that the perfect device lists and that list does not have. */
const NEWER_EXTENSION = "VK_KHR_maintenance6";

/** By the names of the rules. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  "vulkan.devices": { layer: hooks({ vkEnumeratePhysicalDevices: () => INITIALIZATION_FAILED }) },
  "vulkan.gles": { options: { glesVersion: [3, 0] } },
  "vulkan.best-device": { layer: unequalDevices, options: { driver: [lavapipePath()!, swiftshaderPath()!] } },
  "vulkan.hardware-level": { limits: { hideFeatures: ["textureCompressionETC2"] } },
  "vulkan.hardware-version": version(0x400002),
  "vulkan.hardware-variant": version(0x20404000),
  "vulkan.hardware-compute": { limits: { limits: { maxPerStageDescriptorStorageBuffers: 15 } }, to: "report" },
  "vulkan.claimed-level": { options: { claims: { level: 0, version: 0x404000, compute: 0 } } },
  "vulkan.claimed-version": { options: { claims: { level: 1, version: 0x403000, compute: 0 } } },
  "vulkan.claimed-compute": { options: { claims: { level: 1, version: 0x404000, compute: -1 } } },
  "vulkan.entry-points.core": { limits: { hideCommands: ["vkCmdSetCullMode"] } },
  "vulkan.entry-points.extensions": { limits: { hideCommands: ["vkCmdBeginConditionalRenderingEXT"] } },
  "vulkan.extension.VK_KHR_get_physical_device_properties2": hidden("VK_KHR_get_physical_device_properties2"),
  "vulkan.extension.VK_KHR_maintenance1": hidden("VK_KHR_maintenance1"),
  "vulkan.blocked.VK_KHR_performance_query": listed("VK_KHR_performance_query", 1),
  "vulkan.blocked.VK_KHR_video_queue": listed("VK_KHR_video_queue", 8),
  "vulkan.blocked.VK_KHR_video_decode_queue": listed("VK_KHR_video_decode_queue", 8),
  "vulkan.blocked.VK_KHR_video_encode_queue": listed("VK_KHR_video_encode_queue", 12),
  "vulkan.exposed-extensions": {
    good: { options: OLDER, limits: { hideExtensions: untested() } },
    options: OLDER,
    limits: { hideExtensions: untested().filter((name) => name !== NEWER_EXTENSION) },
  },
  "vulkan.release-version": version(0x400002),
  "vulkan.launch-version": version(0x4020ff),
  "vulkan.each-device-version": version(0x400fff),
  "vulkan.version-counts": hidden(HARDWARE_BUFFER),
  "vulkan.1_3.dynamic-rendering": withoutFeature("dynamicRendering"),
  "vulkan.1_3.terminate-invocation": withoutFeature("shaderTerminateInvocation"),
  "vulkan.1_3.pipeline-creation": withoutFeature("pipelineCreationCacheControl"),
  "vulkan.1_3.synchronization": withoutFeature("synchronization2"),
  "vulkan.1_3.dynamic-state": { limits: { hideCommands: ["vkCmdSetDepthBiasEnable"] } },
  "vulkan.1_3.features": withoutFeature("maintenance4"),
  "vulkan.1_4.features": withoutFeature("pushDescriptor"),
  "vulkan.1_2.8bit-storage": withoutFeature("storageBuffer8BitAccess"),
  "vulkan.1_2.memory-model": withoutFeature("vulkanMemoryModel"),
  "vulkan.1_2.driver-information": { limits: { properties: [{ sType: DRIVER_PROPERTIES, driverName: "" }] } },
  "vulkan.1_1.ycbcr": withoutFeature("samplerYcbcrConversion"),
  "vulkan.1_1.hardware-buffer": listed(HARDWARE_BUFFER, 1),
  "vulkan.1_1.sync-fd-semaphores": { limits: { externalSemaphores: { 0x10: { externalSemaphoreFeatures: 1 } } } },
  "vulkan.1_1.sync-fd-fences": { limits: { externalFences: { 0x8: { externalFenceFeatures: 2 } } } },
  "vulkan.compression.etc2": withoutFeature("textureCompressionETC2"),
  "vulkan.compression.astc": { limits: { formats: { [ASTC_4X4]: {} } } },
  "vulkan.color-spaces": hidden("VK_EXT_swapchain_colorspace"),
  "vulkan.sample-shading": withoutFeature("sampleRateShading"),
  ...profiles(),
  "vulkan.deqp-level": { options: { deqpLevel: "2025-03-01" } },
  "vulkan.window.VK_KHR_surface": listed("VK_KHR_surface", 24),
  "vulkan.window.VK_KHR_android_surface": listed("VK_KHR_android_surface", 5),
  "vulkan.window.VK_KHR_swapchain": listed("VK_KHR_swapchain", 67),
  "vulkan.window.VK_KHR_incremental_present": hidden("VK_KHR_incremental_present"),
  "vulkan.window.VK_GOOGLE_display_timing": { ...hidden("VK_GOOGLE_display_timing"), to: "report" },
  "vulkan.window.VK_KHR_driver_properties": hidden("VK_KHR_driver_properties"),
  "vulkan.window.hidden": listed("VK_ANDROID_native_buffer", 11),
  "vulkan.native-buffer.extension": listed("VK_ANDROID_native_buffer", 7),
  "vulkan.native-buffer.vkGetSwapchainGrallocUsage4ANDROID": failing("vkGetSwapchainGrallocUsage4ANDROID"),
  "vulkan.native-buffer.vkGetSwapchainGrallocUsage3ANDROID": failing("vkGetSwapchainGrallocUsage3ANDROID"),
  "vulkan.native-buffer.vkGetSwapchainGrallocUsage2ANDROID": failing("vkGetSwapchainGrallocUsage2ANDROID"),
  "vulkan.native-buffer.vkGetSwapchainGrallocUsageANDROID": failing("vkGetSwapchainGrallocUsageANDROID"),
  "vulkan.native-buffer.image": failing("vkCreateImage"),
  "vulkan.native-buffer.formats": imagesWithout(({ format }) => format === SRGB),
  "vulkan.native-buffer.swapchain-usage": imagesWithout(({ pNext }) =>
    (pNext as { sType: number }[]).some(({ sType }) => sType === SWAPCHAIN_IMAGE)
  ),
  "vulkan.native-buffer.bind": failing("vkBindImageMemory2"),
  "vulkan.native-buffer.shared-image": {
    limits: { properties: [{ sType: PRESENTATION_PROPERTIES, sharedImage: false }] as never },
    to: "report",
  },
  "vulkan.native-buffer.acquire": {
    layer: hooks({
      vkAcquireImageANDROID(_next, _device, _image, fd) {
        closeDescriptor(fd);
        return 0; // and signals nothing
      },
    }),
    options: IMPATIENT,
  },
  "vulkan.native-buffer.acquire-closes": { layer: keepsDescriptors },
  "vulkan.native-buffer.acquire-waits": {
    layer: hooks({
      vkAcquireImageANDROID(next, device, image, fd, ...signals) {
        closeDescriptor(fd);
        return next(device, image, -1, ...signals); // at once
      },
      vkQueueSubmit(next, queue, ...submits) {
        const result = next(queue, ...submits);
        this.below(queue).vkQueueWaitIdle(queue);
        return result;
      },
    }),
  },
  "vulkan.native-buffer.release": {
    layer: hooks({
      vkQueueSignalReleaseImageANDROID(next, queue, count, semaphores, image, out) {
        const result = next(queue, count, semaphores, image, out);
        poke32(out, createEvent()); // which nobody signals
        return result;
      },
    }),
    options: IMPATIENT,
  },
  "vulkan.native-buffer.rows": { layer: writesBehind, to: "report" },
  "vulkan.native-buffer.release-again": { layer: releasesOnce },
  "vulkan.conformance": { options: { deqpLevel: "2025-03-01" }, to: "report" },
};

function hooks(commands: NonNullable<Parameters<typeof defineLayer>[0]["commands"]>): () => Layer {
  return () => defineLayer({ name: "VK_LAYER_TEST_liar", commands });
}

function failing(command: "vkCreateImage" | string): Mutation {
  return { layer: hooks({ [command]: () => FORMAT_NOT_SUPPORTED }) };
}

function version(apiVersion: number): Mutation {
  return { limits: { physicalDevice: { apiVersion } } };
}

function hidden(extension: string): Mutation {
  return { limits: { hideExtensions: [extension] } };
}

function listed(extension: string, revision: number): Mutation {
  return { limits: { showExtensions: { [extension]: revision } } };
}

function withoutFeature(name: string): Mutation {
  return { limits: { hideFeatures: [name] } };
}

/** Each known profile asks for sample shading; only some are demanded. */
function profiles(): Record<string, Mutation> {
  const recommended = /baseline_2022|profile_2022|profile_2025/;
  const entries = [...knownProfiles().keys()].map((name): [string, Mutation] => [
    `vulkan.profile.${name}`,
    { ...withoutFeature("sampleRateShading"), ...recommended.test(name) ? { to: "report" } : {} },
  ]);
  return Object.fromEntries(entries);
}

/** Extensions that no list of tests known here has. */
function untested(): string[] {
  const tested = new Set(TESTED_EXTENSIONS.flatMap(({ names }) => names));
  const all = allExtensions().filter(({ kind, name }) => kind === "device" && /^VK_(KHR|GOOGLE|ANDROID)_/.test(name));
  return all.map(({ name }) => name).filter((name) => !tested.has(name));
}

/** The first device has the older version, the second no variable pointers to count. */
function unequalDevices(): Layer {
  const seen: bigint[] = [];
  return defineLayer({
    name: "VK_LAYER_TEST_unequal",
    physicalDevice(gpu) {
      if (!seen.includes(gpu)) seen.push(gpu);
      return seen.indexOf(gpu) === 0
        ? { properties: { apiVersion: 0x403000 } }
        : { limits: { maxPerStageDescriptorStorageBuffers: 4 } };
    },
  });
}

function imagesWithout(isWanted: (info: Record<string, unknown>) => boolean): Mutation {
  return {
    layer: hooks({
      vkCreateImage: (next, device, info, ...rest) =>
        isWanted(structAt("VkImageCreateInfo", info)) ? FORMAT_NOT_SUPPORTED : next(device, info, ...rest),
    }),
  };
}

/** Hands on a duplicate, and keeps what it was given until the test is over. */
function keepsDescriptors(): Layer & Disposable {
  const kept: number[] = [];
  const layer = defineLayer({
    name: "VK_LAYER_TEST_keeper",
    commands: {
      vkAcquireImageANDROID(next, device, image, fd, ...signals) {
        if (fd >= 0) kept.push(fd);
        return next(device, image, fd < 0 ? fd : duplicate(fd), ...signals);
      },
    },
  });
  return Object.assign(layer, { [Symbol.dispose]: () => kept.splice(0).forEach(closeDescriptor) });
}

/** Writes one byte behind the last row of what it releases. */
function writesBehind(): Layer {
  const buffers = new Map<bigint, GraphicBuffer>();
  return defineLayer({
    name: "VK_LAYER_TEST_behind",
    commands: {
      vkCreateImage(next, device, info, allocator, out) {
        const result = next(device, info, allocator, out), chain = structAt("VkImageCreateInfo", info).pNext;
        const native = (chain as { handle?: bigint }[]).find(({ handle }) => handle !== undefined);
        const buffer = native && bufferOfHandle(native.handle!);
        if (buffer) buffers.set(peek64(out), buffer);
        return result;
      },
      vkQueueSignalReleaseImageANDROID(next, queue, count, semaphores, image, out) {
        const { memory, rowPitch, height } = buffers.get(image)!;
        poke8(memory.address + BigInt(rowPitch * height), 1);
        return next(queue, count, semaphores, image, out);
      },
    },
  });
}

/** Takes a second release without an acquire for an error. */
function releasesOnce(): Layer {
  const released = new Set<bigint>();
  return defineLayer({
    name: "VK_LAYER_TEST_once",
    commands: {
      vkQueueSignalReleaseImageANDROID(next, queue, count, semaphores, image, out) {
        if (released.has(image)) return INITIALIZATION_FAILED;
        released.add(image);
        return next(queue, count, semaphores, image, out);
      },
    },
  });
}
