import { assert, assertEquals, assertThrows } from "@std/assert";
import { readCString } from "../../ffi/cstring.ts";
import { closeDescriptor } from "../../ffi/file/file_descriptor.ts";
import { peek32, peek64, poke32, poke8 } from "../../ffi/machine.ts";
import { defineLayer } from "../../loader/layers/define/define_layer.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { bufferOfHandle } from "../../wsi/buffer/known_buffers.ts";
import { NativeFence } from "../../wsi/fence/native_fence.ts";
import { DriverError } from "../../loader/mod.ts";
import { earnedFeatures } from "../../loader/requirements/earned_features.ts";
import { V1_4 } from "../../loader/version.ts";
import { findExtension } from "../../loader/command/registry/extension.ts";
import type { Layer } from "../../loader/layer.ts";
import { defineDriver } from "../../loader/drivers.ts";
import { structAt } from "../../loader/codec/codec.ts";
import { deviceLimits } from "../../workbench/layers.ts";
import { checkVulkan } from "../../wsi/check_vulkan.ts";
import { lavapipePath, swiftshaderPath } from "../../tools/setup/parts.ts";
import { needs } from "../support/require.ts";
import { steadyWorker } from "./adaptor/steady_worker.ts";
import { leavesNothing } from "./leaves_nothing.ts";
import { NativeBufferDriver } from "./native_buffer_driver.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const CPU = 4;

Deno.test("checkVulkan() leaves nothing open, also when the driver gives no device", LAVAPIPE, () => {
  using _worker = steadyWorker();
  leavesNothing(() => checkVulkan({ driver: lavapipePath() }));
  const refuses = { name: "refuses", commands: { vkCreateDevice: () => -3 } };
  leavesNothing(() => {
    const { verdicts } = checkVulkan({ driver: lavapipePath(), layers: [refuses] });
    const failed = verdicts.filter(({ status }) => status === "fail").map(({ rule }) => rule);
    assertEquals(failed.filter((rule) => rule.startsWith("vulkan.native-buffer.")).length, 16);
    assert(failed.includes("vulkan.entry-points.core") && failed.includes("vulkan.1_3.dynamic-state"), `${failed}`);
  });
});

Deno.test("checkVulkan() tells a driver's own native buffers from those that are provided", () => {
  using _worker = steadyWorker();
  using driver = new NativeBufferDriver({ version: 8, sharedImage: true });
  for (const platform of ["linux", "android"] as const) {
    const { verdicts } = checkVulkan({
      driver: driver.scripted,
      platform,
      only: ["vulkan.native-buffer", "vulkan.window"],
    });
    const of = (rule: string) => verdicts.find((each) => each.rule === `vulkan.${rule}`)!;
    assertEquals(
      verdicts.filter(({ rule }) => rule.includes("native-buffer")).map(({ own }) => own).every((own) =>
        own === "driver"
      ),
      true,
    );
    assertEquals([of("native-buffer.extension").status, of("native-buffer.extension").found], [
      "pass",
      "revision 8, the driver's own",
    ]);
    assertEquals(of("native-buffer.vkGetSwapchainGrallocUsage4ANDROID").status, "not-applicable");
    assertEquals(
      of("native-buffer.vkGetSwapchainGrallocUsage2ANDROID").found,
      "0x330 and 0x330, besides bits of the vendor's own",
    );
    assertEquals([of("native-buffer.acquire-closes").status, of("native-buffer.shared-image").status], [
      "pass",
      "pass",
    ]);
    assertEquals(of("native-buffer.release").found, "2257 pixels were not in the buffer"); // it draws nothing
    assertEquals([of("window.VK_KHR_swapchain").status, of("window.VK_KHR_swapchain").own], ["pass", "provided"]);
    assertEquals(of("window.hidden").status, "pass");
  }
});

Deno.test("checkVulkan() fails a driver whose native buffers are too old or keep file descriptors open", () => {
  using _worker = steadyWorker();
  const kept: number[] = [];
  using old = new NativeBufferDriver({
    version: 5,
    commands: {
      vkAcquireImageANDROID(_next, _device, _image, fd) {
        kept.push(fd);
        return -1;
      },
    },
  });
  const { verdicts } = checkVulkan({ driver: old.scripted, only: ["vulkan.native-buffer"] });
  kept.forEach(closeDescriptor);
  const status = (rule: string) => verdicts.find((each) => each.rule === `vulkan.native-buffer.${rule}`)!.status;
  assertEquals([
    status("extension"),
    status("vkGetSwapchainGrallocUsageANDROID"),
    status("vkGetSwapchainGrallocUsage2ANDROID"),
  ], [
    "fail",
    "pass",
    "not-applicable",
  ]);
  assertEquals([status("acquire"), status("acquire-closes")], ["fail", "fail"]);
});

/** A layer with these hooks, as a driver that behaves like this. */
function behaving(commands: NonNullable<Layer["commands"]>): Layer {
  return defineLayer({ name: "VK_LAYER_TEST_behaviour", commands });
}

Deno.test(
  "checkVulkan() catches a release that waits for an idle queue alone, and hands out -1 before the frame",
  LAVAPIPE,
  () => {
    using _worker = steadyWorker();
    const hasty = behaving({
      vkQueueSignalReleaseImageANDROID(next, queue, count, semaphores, image, out) {
        const result = next(queue, count, semaphores, image, out);
        using fence = NativeFence.adopt(peek32(out) | 0);
        fence.wait(20);
        poke32(out, -1);
        return result;
      },
    });
    const only = ["vulkan.native-buffer.acquire", "vulkan.native-buffer.image", "vulkan.native-buffer.release"];
    const { verdicts } = checkVulkan({ driver: lavapipePath(), layers: [hasty], only });
    const release = verdicts.find(({ rule }) => rule === "vulkan.native-buffer.release")!;
    assertEquals([release.status, release.found], ["fail", `${61 * 37} pixels were not in the buffer`]);
  },
);

Deno.test(
  "checkVulkan() tells which rules it skips after a failure, also those that need a skipped one",
  LAVAPIPE,
  () => {
    using _worker = steadyWorker();
    const silent = behaving({
      vkAcquireImageANDROID(_next, _device, _image, fd) {
        closeDescriptor(fd);
        return 0; // and signals nothing
      },
    });
    const ended: string[] = [];
    const { verdicts } = checkVulkan({
      driver: lavapipePath(),
      layers: [silent],
      only: ["vulkan.native-buffer"],
      timeout: 100,
      progress: { end: ({ rule }) => ended.push(rule) },
    });
    const skipped = verdicts.filter(({ found }) => found === "not tried, for vulkan.native-buffer.acquire failed");
    assertEquals(skipped.map(({ rule }) => rule.split(".").at(-1)).sort(), [
      "acquire-waits",
      "bind",
      "release",
      "release-again",
      "rows",
    ]);
    assertEquals(ended.sort(), verdicts.map(({ rule }) => rule).sort());
  },
);

Deno.test("checkVulkan() draws with triangles where it looks behind the last row", LAVAPIPE, () => {
  using _worker = steadyWorker();
  const buffers: GraphicBuffer[] = [];
  const rasterising = behaving({
    vkCreateImage(next, device, info, allocator, out) {
      const chain = structAt("VkImageCreateInfo", info).pNext as { handle?: bigint }[];
      const native = chain.find(({ handle }) => handle !== undefined);
      if (native) buffers.push(bufferOfHandle(native.handle!)!);
      return next(device, info, allocator, out);
    },
    vkCmdDraw(next, ...args) {
      const { memory, rowPitch, height } = buffers.at(-1)!;
      poke8(memory.address + BigInt(rowPitch * height), 1); // as a rasteriser that works in blocks does
      next(...args);
    },
  });
  const { verdicts } = checkVulkan({ driver: lavapipePath(), layers: [rasterising], only: ["vulkan.native-buffer"] });
  const { status, found } = verdicts.find(({ rule }) => rule === "vulkan.native-buffer.rows")!;
  assertEquals([status, found], [
    "report",
    "1 bytes behind the last row were written, which gralloc must have room for",
  ]);
});

Deno.test("checkVulkan() recognizes a CPU", LAVAPIPE, () => {
  const { devices, cpuOnly } = checkVulkan({ driver: lavapipePath() });
  assertEquals([cpuOnly, devices[0].deviceType], [true, CPU]);
});

Deno.test("checkVulkan() judges a driver of CPUs alone as a GPU's when it is told to", LAVAPIPE, () => {
  const status = (kind: "auto" | "cpu" | "gpu") =>
    checkVulkan({ driver: lavapipePath(), deviceType: kind, only: ["vulkan.hardware-level"] }).verdicts[0].status;
  assertEquals([status("auto"), status("cpu"), status("gpu")], ["not-applicable", "not-applicable", "fail"]);
});

Deno.test("checkVulkan() compares with profiles that are given, and reports every miss", LAVAPIPE, () => {
  const profile = {
    capabilities: { c: { extensions: { VK_KHR_maintenance1: 1, VK_KHR_maintenance9: 1 } } },
    profiles: { VP_MINE: { version: 3, "api-version": "1.1.0", capabilities: ["c"] } },
  };
  const { verdicts, devices } = checkVulkan({
    driver: lavapipePath(),
    profiles: [profile],
    only: ["vulkan.profile.VP_MINE"],
  });
  assertEquals(verdicts.map(({ rule, status, id }) => [id, rule, status]), [[
    "VK23",
    "vulkan.profile.VP_MINE",
    "report",
  ]]);
  assertEquals(devices[0].profiles.map(({ name, version, supported, asked }) => [name, version, supported, asked]), [
    ["VP_MINE", 3, false, 3],
  ]);
  assertEquals(devices[0].profiles[0].misses, [{
    profile: "VP_MINE",
    capability: "c",
    alternatives: [],
    kind: "extension",
    name: "VK_KHR_maintenance9",
    wanted: "revision 1",
    found: "none",
  }]);
});

Deno.test("checkVulkan() checks every device of several drivers, and reports the best", {
  ignore: LAVAPIPE.ignore || needs("SwiftShader", swiftshaderPath()).ignore,
}, () => {
  const layer = deviceLimits({ hideFeatures: ["variablePointers"] }).layer;
  const { devices, best, features } = checkVulkan({
    driver: [lavapipePath()!, swiftshaderPath()!],
    layers: [layer],
    only: ["vulkan.hardware"],
  });
  assertEquals(devices.length, 2);
  const levels = devices.map(({ features }) => features.level);
  assertEquals(levels.toSorted((one, other) => one - other), [-1, 0]);
  // The one with the level has the older version: neither is better, so the first stays.
  assertEquals([best, features], [0, devices[0].features]);
  assertEquals(devices.map(({ verdicts }) => verdicts.length), [4, 4]);
});

Deno.test("checkVulkan() asks a driver of Vulkan 1.0 by what it has", () => {
  for (const queries of [[], ["VK_KHR_get_physical_device_properties2"]]) {
    using driver = defineDriver({
      name: "old",
      apiVersion: null,
      instanceExtensions: queries,
      physicalDevices: [{
        features: { textureCompressionETC2: true },
        properties: { deviceType: 2, apiVersion: 0x400003 },
      }],
    });
    const { verdicts, features } = checkVulkan({ driver, release: 7 });
    const of = (rule: string) => verdicts.find((each) => each.rule === `vulkan.${rule}`)!;
    assertEquals(features, { level: 0, version: 0x400003, compute: -1, deqpLevel: undefined });
    assertEquals([of("release-version").status, of("launch-version").status, of("1_1.ycbcr").status], [
      "pass",
      "report",
      "not-applicable",
    ]);
    assertEquals(of("entry-points.core").status, "pass");
  }
});

/** Gives commands of 1.4 to those alone whose instance is of that version, as drivers do. */
function keepsToVersions(): Layer["commands"] {
  const newer = new Set(findExtension("VK_VERSION_1_4")!.commands);
  const versions = new Map<bigint, number>(); // of the instances that are there
  return {
    vkCreateInstance(next, info, allocator, out) {
      const result = next(info, allocator, out), { pApplicationInfo } = structAt("VkInstanceCreateInfo", info);
      versions.set(peek64(out), (pApplicationInfo as { apiVersion?: number } | null)?.apiVersion ?? 0);
      return result;
    },
    vkDestroyInstance(next, instance, allocator) {
      versions.delete(instance);
      next(instance, allocator);
    },
    vkGetDeviceProcAddr: (next, device, name) =>
      Math.max(...versions.values()) < V1_4 && newer.has(readCString(name)) ? 0n : next(device, name),
  };
}

Deno.test("checkVulkan() finds every core command of a driver of Vulkan 1.4, and those that it lacks", () => {
  const core = (missing: readonly string[], platform: "android" | "linux") => {
    using driver = defineDriver({ name: "newest", apiVersion: V1_4, missing, commands: keepsToVersions() });
    const { verdicts } = checkVulkan({ driver, platform, only: ["vulkan.entry-points"] });
    return verdicts.find(({ rule }) => rule === "vulkan.entry-points.core")!;
  };
  for (const platform of ["android", "linux"] as const) {
    const { status, found } = core([], platform);
    assertEquals([status, found.replace(/^all \d+ commands/, "all commands")], ["pass", "all commands of 1.4.0"]);
    const lacking = core(["vkCmdBindIndexBuffer2"], platform); // of 1.4
    assert(lacking.status === "fail" && lacking.found.includes("vkCmdBindIndexBuffer2"), lacking.found);
  }
});

Deno.test("checkVulkan() of a driver without devices fails at once and earns nothing", () => {
  using driver = defineDriver({ name: "empty", physicalDevices: [] });
  const report = checkVulkan({ driver });
  assertEquals([report.best, report.devices.length, report.features.level], [-1, 0, -1]);
  assertEquals(report.verdicts.find(({ rule }) => rule === "vulkan.devices")!.status, "fail");
  assertEquals(earnedFeatures(report).earned, []);
});

Deno.test("checkVulkan() refuses invalid options", () => {
  const refused = (options: Parameters<typeof checkVulkan>[0], why: string) =>
    assertThrows(() => checkVulkan({ driver: lavapipePath(), ...options }), TypeError, why);
  refused({ release: 6 }, "give an Android release from 7 to 17");
  refused({ release: 18 }, "give an Android release from 7 to 17");
  refused({ release: 14.5 }, "give an Android release from 7 to 17");
  refused({ release: 13, launch: 14 }, "give a lower launch");
  refused({ deqpLevel: "2024" }, 'Cannot read dEQP level "2024"');
  refused({ profiles: ["/nowhere.json"] }, "check the path");
  assertThrows(() => checkVulkan({ driver: "/nowhere.so" }), DriverError);
});
