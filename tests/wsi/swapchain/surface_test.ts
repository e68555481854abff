import { assert, assertEquals, assertThrows } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import type { VkSurfaceCapabilities2KHRNext } from "../../../loader/types.ts";
import { resultOf } from "../../support/result_of.ts";
import { needs } from "../../support/require.ts";
import { DRIVERS } from "../adaptor/drawing.ts";
import { sharesImages } from "../soak/shares_images.ts";
import { MODES, Stage, type StageOptions } from "./presenter.ts";

const SURFACE_LOST = -1000000000, INCOMPLETE = 5, UNKNOWN = 0xffffffff, IMMEDIATE = 0;
const SIZE = { width: 64, height: 48 };
const ROT_90 = 4, FLIP_H = 1;
/** VkFormat values. */
const R8 = 9, RGB565 = 4, RGB8 = 23, RGBA8 = 37, RGBA8_SRGB = 43, BGRA8 = 44, RGB10A2 = 64, FP16 = 97;
/** VkColorSpaceKHR values. */
const SRGB = 0, P3_NONLINEAR = 1000104001, EXTENDED_LINEAR = 1000104002, EXTENDED = 1000104014;
const PASS_THROUGH = 1000104013, WIDE = 11;
const CAPABILITIES2 = "VK_KHR_get_surface_capabilities2", COLORSPACE = "VK_EXT_swapchain_colorspace";
const MAINTENANCE = "VK_EXT_surface_maintenance1", SURFACELESS = "VK_GOOGLE_surfaceless_query";

for (const [name, driver] of DRIVERS) {
  const test = (title: string, body: () => void) => Deno.test(`${title} (${name})`, needs(name, driver), body);
  const open = (more: Partial<StageOptions> = {}) =>
    new Stage({ driver: driver!, ...more, window: { ...SIZE, ...more.window } });
  const sharedModes = () => sharesImages(driver!) ? [MODES.SHARED_DEMAND, MODES.SHARED_CONTINUOUS] : [];
  const capabilities = ({ gpu, surface }: Stage) => gpu.vkGetPhysicalDeviceSurfaceCapabilitiesKHR(surface);

  test("vkGetPhysicalDeviceSurfaceCapabilitiesKHR tells of the window", () => {
    using stage = open({ window: { maxBufferCount: 5 } });
    assertEquals(capabilities(stage), {
      minImageCount: 3,
      maxImageCount: 5,
      currentExtent: SIZE,
      minImageExtent: { width: 1, height: 1 },
      maxImageExtent: { width: 4096, height: 4096 },
      maxImageArrayLayers: 1,
      supportedTransforms: 0x1ff,
      currentTransform: 1,
      supportedCompositeAlpha: 8,
      supportedUsageFlags: 0x9f,
    } as never);
    stage.window.resize(5000, 20);
    const { currentExtent, maxImageExtent } = capabilities(stage);
    assertEquals(currentExtent, { width: 5000, height: 20 });
    assertEquals(maxImageExtent, { width: 5000, height: 4096 });
  });

  test("vkGetPhysicalDeviceSurfaceCapabilitiesKHR asks no more images of a window than it can have", () => {
    using stage = open({ window: { maxBufferCount: 2 } });
    const { minImageCount, maxImageCount } = capabilities(stage);
    assertEquals([minImageCount, maxImageCount], [2, 2]);
  });

  test("vkGetPhysicalDeviceSurfaceCapabilitiesKHR says how the window is turned", () => {
    using stage = open();
    const seen = [0, ROT_90, 3, 7, FLIP_H, FLIP_H | ROT_90, 2, 2 | ROT_90].map((hint) => {
      stage.window.setTransformHint(hint);
      return capabilities(stage).currentTransform as number;
    });
    assertEquals(seen, [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80]);
  });

  test("queries of a surface whose window is closed say that it is lost", () => {
    using stage = open({ instanceExtensions: [CAPABILITIES2] });
    const { gpu, surface } = stage;
    stage.window.close();
    for (
      const ask of [
        () => capabilities(stage),
        () => gpu.vkGetPhysicalDeviceSurfaceCapabilities2KHR({ surface }),
        () => gpu.vkGetPhysicalDeviceSurfacePresentModesKHR(surface),
        () => gpu.vkGetPhysicalDevicePresentRectanglesKHR(surface),
      ]
    ) assertEquals(resultOf(ask), SURFACE_LOST);
  });

  test("VK_GOOGLE_surfaceless_query answers for a surface that is not there yet", () => {
    using stage = open({ instanceExtensions: [CAPABILITIES2, SURFACELESS] });
    const { gpu } = stage, nowhere = { width: UNKNOWN, height: UNKNOWN };
    const { surfaceCapabilities: found } = gpu.vkGetPhysicalDeviceSurfaceCapabilities2KHR({});
    assertEquals([found.minImageCount, found.maxImageCount], [UNKNOWN, UNKNOWN]);
    assertEquals([found.currentExtent, found.minImageExtent, found.maxImageExtent], [nowhere, nowhere, nowhere]);
    assertEquals([found.currentTransform, found.supportedUsageFlags as number], [1, 0x9f]);
    assertEquals(gpu.vkGetPhysicalDeviceSurfacePresentModesKHR() as number[], [MODES.FIFO, ...sharedModes()]);
    assertEquals(
      gpu.vkGetPhysicalDeviceSurfaceFormatsKHR(),
      gpu.vkGetPhysicalDeviceSurfaceFormatsKHR(stage.surface),
    );
  });

  test("a surface that is not there is lost without VK_GOOGLE_surfaceless_query", () => {
    using stage = open({ instanceExtensions: [CAPABILITIES2] });
    const { gpu } = stage;
    for (
      const ask of [
        () => gpu.vkGetPhysicalDeviceSurfaceCapabilities2KHR({}),
        () => gpu.vkGetPhysicalDeviceSurfacePresentModesKHR(),
        () => gpu.vkGetPhysicalDeviceSurfaceFormatsKHR(),
        () => gpu.vkGetPhysicalDeviceSurfaceFormats2KHR({}),
      ]
    ) assertEquals(resultOf(ask), SURFACE_LOST);
  });

  test("vkGetPhysicalDeviceSurfaceCapabilities2KHR counts images by present mode", () => {
    using stage = open({ instanceExtensions: [CAPABILITIES2, MAINTENANCE], window: { maxBufferCount: 8 } });
    const { gpu, surface } = stage;
    const counts = Object.entries({ ...MODES, IMMEDIATE }).map(([name, presentMode]) => {
      const { surfaceCapabilities: { minImageCount, maxImageCount } } = gpu.vkGetPhysicalDeviceSurfaceCapabilities2KHR({
        surface,
        pNext: [{ sType: 1000274000, presentMode: presentMode as never }],
      });
      return [name, minImageCount, maxImageCount];
    });
    assertEquals(counts, [
      ["MAILBOX", 3, 8],
      ["FIFO", 3, 8],
      ["SHARED_DEMAND", 1, 1],
      ["SHARED_CONTINUOUS", 1, 1],
      ["FIFO_LATEST_READY", 3, 8],
      ["IMMEDIATE", 0, 0], // as the caller had them
    ]);
  });

  test("vkGetPhysicalDeviceSurfaceCapabilities2KHR leaves the counts of an unknown present mode alone", () => {
    using stage = open({ instanceExtensions: [CAPABILITIES2, MAINTENANCE] });
    const { instance: { raw }, gpu, surface } = stage, memory = arena(), mark = memory.mark();
    const mode = memory.alloc(24), info = memory.alloc(24), out = memory.alloc(72);
    memory.bytes.fill(0, mode, out + 72);
    memory.view.setUint32(mode, 1000274000, true);
    memory.view.setUint32(mode + 16, IMMEDIATE, true);
    memory.view.setUint32(info, 1000119000, true);
    memory.view.setBigUint64(info + 8, memory.address(mode), true);
    memory.view.setBigUint64(info + 16, surface as unknown as bigint, true);
    memory.view.setUint32(out, 1000119001, true);
    memory.view.setUint32(out + 16, 77, true);
    memory.view.setUint32(out + 20, 78, true);
    assertEquals(
      raw.vkGetPhysicalDeviceSurfaceCapabilities2KHR(gpu.handle, memory.address(info), memory.address(out)),
      0,
    );
    const read = [16, 20, 24, 28].map((at) => memory.view.getUint32(out + at, true));
    memory.release(mark);
    assertEquals(read, [77, 78, SIZE.width, SIZE.height]);
  });

  test("vkGetPhysicalDeviceSurfaceCapabilities2KHR fills what is chained to it", () => {
    using stage = open({ instanceExtensions: [CAPABILITIES2, MAINTENANCE, "VK_KHR_surface_protected_capabilities"] });
    const { gpu, surface } = stage;
    const ask = (presentMode: number, ...chain: readonly object[]) =>
      gpu.vkGetPhysicalDeviceSurfaceCapabilities2KHR(
        { surface, pNext: [{ sType: 1000274000, presentMode: presentMode as never }] },
        chain as readonly VkSurfaceCapabilities2KHRNext[] as never,
      ).pNext as unknown as Record<string, unknown>[];
    const [shared, isProtected, scaling, id, wait, timing] = ask(
      MODES.FIFO,
      { sType: 1000111000 },
      { sType: 1000239000 },
      { sType: 1000274001 },
      { sType: 1000479000 },
      { sType: 1000480000 },
      { sType: 1000208008 },
    );
    assertEquals(shared.sharedPresentSupportedUsageFlags, 0x9f);
    assertEquals(isProtected.supportsProtected, false); // gralloc has no protected memory here
    assertEquals([scaling.supportedPresentScaling, scaling.supportedPresentGravityX], [4, 0]);
    assertEquals([scaling.minScaledImageExtent, scaling.maxScaledImageExtent], [
      { width: 1, height: 1 },
      { width: 4096, height: 4096 },
    ]);
    assertEquals([id.presentId2Supported, wait.presentWait2Supported], [true, true]);
    const { presentTimingSupported, presentAtAbsoluteTimeSupported, presentAtRelativeTimeSupported } = timing;
    assertEquals([presentTimingSupported, presentAtAbsoluteTimeSupported], [true, true]);
    assertEquals([presentAtRelativeTimeSupported, timing.presentStageQueries], [false, 15]);
    const compatible = (mode: number) => {
      const [{ presentModeCount, pPresentModes }] = ask(mode, { sType: 1000274002, pPresentModes: [0, 0, 0] });
      return [presentModeCount, ...[...pPresentModes as number[]].slice(0, presentModeCount as number)];
    };
    assertEquals(compatible(MODES.FIFO), [1, MODES.FIFO]);
    const [one, other] = sharedModes();
    const pairs = other === undefined ? [] : [[one, other], [other, one]];
    for (const [mode, partner] of pairs) assertEquals(compatible(mode), [2, mode, partner]);
  });

  test("VkSurfaceProtectedCapabilitiesKHR is of release 14 whatever there is", () => {
    using stage = open({ instanceExtensions: [CAPABILITIES2, "VK_KHR_surface_protected_capabilities"], release: 14 });
    const { pNext: [found] } = stage.gpu.vkGetPhysicalDeviceSurfaceCapabilities2KHR(
      { surface: stage.surface },
      [{ sType: 1000239000 }],
    );
    assertEquals(found.supportsProtected, true);
  });

  test("VkSurfacePresentModeCompatibilityKHR gets as many modes as there is room for", () => {
    using stage = open({ instanceExtensions: [CAPABILITIES2, MAINTENANCE] });
    const { gpu, surface } = stage;
    const { pNext: [found] } = gpu.vkGetPhysicalDeviceSurfaceCapabilities2KHR(
      { surface, pNext: [{ sType: 1000274000, presentMode: MODES.SHARED_DEMAND as never }] },
      [{ sType: 1000274002, pPresentModes: [0] } as never],
    ) as unknown as { pNext: [{ presentModeCount: number; pPresentModes: number[] }] };
    assertEquals([found.presentModeCount, [...found.pPresentModes]], [1, [MODES.SHARED_DEMAND]]);
  });

  /** The formats of a surface as `format/colorSpace`, without those that not every driver has. */
  const formats = (more: Partial<StageOptions>) => {
    using stage = open(more);
    return stage.gpu.vkGetPhysicalDeviceSurfaceFormatsKHR(stage.surface) as {
      format: number;
      colorSpace: number;
    }[];
  };
  const pairs = (list: readonly { format: number; colorSpace: number }[]) =>
    list.map(({ format, colorSpace }) => [format, colorSpace]);

  test("vkGetPhysicalDeviceSurfaceFormatsKHR lists Android's formats in Android's order", () => {
    for (const release of [14, 17] as const) {
      const found = pairs(formats({ release, bgra: false }));
      const sure = [[RGBA8, SRGB], [RGBA8_SRGB, SRGB], [RGB565, SRGB], [FP16, SRGB], [RGB10A2, SRGB]];
      assertEquals(found.filter(([format]) => format !== RGB8), sure);
      if (release === 14) assertEquals(found, sure);
    }
  });

  test("vkGetPhysicalDeviceSurfaceFormatsKHR lists BGRA only where it is asked for", () => {
    const listed = (bgra: boolean) => formats({ bgra }).some(({ format }) => format === BGRA8);
    assertEquals([listed(true), listed(false)], [true, false]);
  });

  test("VK_EXT_swapchain_colorspace brings wide color spaces, grouped by release", () => {
    const wide = { instanceExtensions: [COLORSPACE], bgra: false };
    const old = pairs(formats({ ...wide, release: 14 })), young = pairs(formats({ ...wide, release: 17 }));
    assertEquals(old.slice(0, 4), [[RGBA8, SRGB], [RGBA8_SRGB, SRGB], [RGBA8, P3_NONLINEAR], [
      RGBA8_SRGB,
      P3_NONLINEAR,
    ]]);
    assertEquals(young.slice(0, 2), [[RGBA8, SRGB], [RGBA8, P3_NONLINEAR]]);
    for (const list of [old, young]) {
      const spaces = (wanted: number) => list.filter(([format]) => format === wanted).map(([, space]) => space);
      assertEquals([RGBA8, RGBA8_SRGB, RGB565, RGB10A2, FP16].map((format) => spaces(format).length), [
        ...[WIDE + 1, WIDE + 1, WIDE + 1, WIDE + 1, WIDE + 3],
      ]);
      assertEquals(spaces(FP16).slice(-2), [EXTENDED_LINEAR, EXTENDED]);
      assertEquals(spaces(R8), [PASS_THROUGH]);
      assertEquals(new Set(list.map(String)).size, list.length);
    }
  });

  test("vkGetPhysicalDeviceSurfaceFormats2KHR lists the same", () => {
    using stage = open({ instanceExtensions: [CAPABILITIES2, COLORSPACE] });
    const { gpu, surface } = stage;
    const found = gpu.vkGetPhysicalDeviceSurfaceFormats2KHR({ surface }).map(({ surfaceFormat }) => surfaceFormat);
    assertEquals(found, gpu.vkGetPhysicalDeviceSurfaceFormatsKHR(surface));
  });

  const modes = (more: Partial<StageOptions>) => {
    using stage = open(more);
    return stage.gpu.vkGetPhysicalDeviceSurfacePresentModesKHR(stage.surface) as number[];
  };

  test("vkGetPhysicalDeviceSurfacePresentModesKHR lists a mailbox where there is a buffer for it", () => {
    const { MAILBOX, FIFO, FIFO_LATEST_READY } = MODES;
    assertEquals(modes({ release: 14 }), [MAILBOX, FIFO, ...sharedModes()]);
    assertEquals(modes({}), [MAILBOX, FIFO, FIFO_LATEST_READY, ...sharedModes()]);
    assertEquals(modes({ release: 14, window: { maxBufferCount: 3 } })[0], MAILBOX);
    assertEquals(modes({ release: 14, window: { maxBufferCount: 2 } })[0], FIFO);
  });

  test("images are shared only where the driver says that they can be", () => {
    const shown = (tier?: "staging") => {
      using stage = open({ tier });
      const extensions = stage.gpu.vkEnumerateDeviceExtensionProperties().map(({ extensionName }) => extensionName);
      const shared = stage.gpu.vkGetPhysicalDeviceSurfacePresentModesKHR(stage.surface) as number[];
      return [extensions.includes("VK_KHR_shared_presentable_image"), shared.includes(MODES.SHARED_DEMAND)];
    };
    const shares = sharesImages(driver!);
    assertEquals(shown(), [shares, shares]);
    assertEquals(shown("staging"), [false, false]);
  });

  test("every queue family can present, the whole window is the rectangle, and there is one device in the group", () => {
    using stage = open();
    const { gpu, device, surface } = stage;
    assertEquals(gpu.vkGetPhysicalDeviceSurfaceSupportKHR(0, surface), true);
    assertEquals(gpu.vkGetPhysicalDevicePresentRectanglesKHR(surface), [{ offset: { x: 0, y: 0 }, extent: SIZE }]);
    const { presentMask, modes } = device.vkGetDeviceGroupPresentCapabilitiesKHR();
    assertEquals([[...presentMask], modes as number], [[1, ...Array(31).fill(0)], 1]);
    assertEquals(device.vkGetDeviceGroupSurfacePresentModesKHR(surface) as number, 1);
  });

  test("queries that count first and then fill say when there was not room for all", () => {
    using stage = open();
    const { instance: { raw }, gpu, surface } = stage, memory = arena(), mark = memory.mark();
    const count = memory.alloc(4), out = memory.alloc(4096), handle = surface as unknown as bigint;
    const [countAt, outAt] = [memory.address(count), memory.address(out)];
    const ask = (call: (count: bigint, out: bigint) => number, room: number | undefined) => {
      memory.view.setUint32(count, room ?? 1234, true);
      const result = call(countAt, room === undefined ? 0n : outAt);
      return [result, memory.view.getUint32(count, true)];
    };
    for (
      const call of [
        (...args: [bigint, bigint]) => raw.vkGetPhysicalDeviceSurfaceFormatsKHR(gpu.handle, handle, ...args),
        (...args: [bigint, bigint]) => raw.vkGetPhysicalDeviceSurfacePresentModesKHR(gpu.handle, handle, ...args),
        (...args: [bigint, bigint]) => raw.vkGetPhysicalDevicePresentRectanglesKHR(gpu.handle, handle, ...args),
      ]
    ) {
      const [result, all] = ask(call, undefined);
      assertEquals(result, 0);
      assert(all > 0);
      assertEquals(ask(call, all), [0, all]);
      assertEquals(ask(call, all + 3), [0, all]);
      assertEquals(ask(call, all - 1), [INCOMPLETE, all - 1]);
      assertEquals(ask(call, 0), [INCOMPLETE, 0]);
    }
    memory.release(mark);
  });

  test("vkCreateDevice refuses extensions that nobody has, and those between loader and driver", () => {
    const refused = ["VK_ANDROID_native_buffer", "VK_KHR_present_wait", "VK_TEST_nothing"];
    using stage = open();
    for (const name of refused) {
      const pQueueCreateInfos = [{ queueFamilyIndex: 0, pQueuePriorities: [1] }];
      const create = () => stage.gpu.vkCreateDevice({ pQueueCreateInfos, ppEnabledExtensionNames: [name] });
      assertEquals(resultOf(create), -7, name);
    }
  });

  test("vkCreateAndroidSurfaceKHR refuses what is no window, and a window that is in use", () => {
    using stage = open();
    assertThrows(
      () => stage.instance.vkCreateAndroidSurfaceKHR({ window: 0x1234n as never }),
      TypeError,
      "is not a window",
    );
    const again = () => stage.instance.vkCreateAndroidSurfaceKHR({ window: stage.window.address as never });
    assertEquals(resultOf(again), -1000000001);
  });
}
