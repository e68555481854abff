import { assert, assertEquals, assertThrows } from "@std/assert";
import { peek64, poke32, poke64 as pokeHandle } from "../../../../../ffi/machine.ts";
import { VulkanError } from "../../../../../loader/mod.ts";
import type { DriverSpec } from "../../../../../loader/drivers.ts";
import type { VkDisplayModeKHR, VkInstance, VkPhysicalDevice } from "../../../../../loader/types.ts";
import { smallSwapchain, withDrivers } from "../drivers.ts";

const SURFACE = "VK_KHR_surface", HEADLESS = "VK_EXT_headless_surface", XCB = "VK_KHR_xcb_surface";
const CAPABILITIES_2 = "VK_KHR_get_surface_capabilities2", SWAPCHAIN = "VK_KHR_swapchain";
const INFO = { ppEnabledExtensionNames: [SURFACE, HEADLESS, XCB], pApplicationInfo: { apiVersion: 0x401000 } };
const QUEUE = {
  pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  ppEnabledExtensionNames: [SWAPCHAIN],
};
const NOT_PRESENT = -7;

/** A driver with surfaces, whose own surface has this handle; it notes the surfaces that reach it. */
function presenting(name: string, own: bigint, seen: bigint[], extensions = [SURFACE, HEADLESS, XCB]): DriverSpec {
  const write = (out: bigint) => {
    pokeHandle(out, own);
    return 0;
  };
  const note = (surface: bigint) => {
    seen.push(surface);
    return 0;
  };
  return {
    name,
    physicalDevices: [{ properties: { deviceName: name }, extensions: [SWAPCHAIN] }],
    instanceExtensions: extensions,
    commands: {
      vkCreateHeadlessSurfaceEXT: (_next, _instance, _info, _allocator, out) => write(out),
      vkDestroySurfaceKHR: (_next, _instance, surface) => void note(surface),
      vkGetPhysicalDeviceSurfaceSupportKHR(_next, _gpu, _family, surface, out) {
        poke32(out, 1);
        return note(surface);
      },
      vkGetPhysicalDeviceSurfaceCapabilitiesKHR: (_next, _gpu, surface) => note(surface),
      vkGetPhysicalDeviceSurfaceFormatsKHR(_next, _gpu, surface, count) {
        poke32(count, 0);
        return note(surface);
      },
      vkGetPhysicalDeviceSurfaceCapabilities2KHR: (_next, _gpu, info) => note(peek64(info + 16n)),
      vkGetDeviceGroupSurfacePresentModesKHR: (_next, _device, surface) => note(surface),
      vkCreateSwapchainKHR(_next, _device, info, _allocator, out) {
        pokeHandle(out, 99n);
        return note(peek64(info + 24n));
      },
    },
  };
}

/** The physical device of a driver, by name. */
function gpuOf(instance: VkInstance, name: string): VkPhysicalDevice {
  return instance.vkEnumeratePhysicalDevices().find((gpu) => gpu.vkGetPhysicalDeviceProperties().deviceName === name)!;
}

function resultOf(call: () => unknown): number {
  return assertThrows(call, VulkanError).code;
}

Deno.test("acceptance 80: a surface is made by each driver, and each gets its own", () => {
  const one: bigint[] = [], two: bigint[] = [];
  withDrivers([presenting("one", 11n, one), presenting("two", 22n, two)], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance(INFO);
    const surface = instance.vkCreateHeadlessSurfaceEXT({});
    assert(![11n, 22n].includes(surface));
    gpuOf(instance, "one").vkGetPhysicalDeviceSurfaceCapabilitiesKHR(surface);
    gpuOf(instance, "two").vkGetPhysicalDeviceSurfaceFormatsKHR(surface);
    instance.vkDestroySurfaceKHR(surface);
  });
  assertEquals([one, two], [[11n, 11n], [22n, 22n]]);
});

Deno.test("acceptance 80: no driver with the extension: it cannot be enabled", () => {
  withDrivers([{ name: "plain" }], ({ vulkan }) => {
    const offered = vulkan.vkEnumerateInstanceExtensionProperties(null).map(({ extensionName }) => extensionName);
    assert(!offered.includes(SURFACE) && !offered.includes(HEADLESS));
  });
});

Deno.test("acceptance 80: a driver without the creating command, alone: a surface it cannot present to", () => {
  const driver = presenting("one", 11n, []);
  withDrivers([{ ...driver, missing: ["vkCreateHeadlessSurfaceEXT"] }], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance(INFO);
    const surface = instance.vkCreateHeadlessSurfaceEXT({}), [gpu] = instance.vkEnumeratePhysicalDevices();
    assertEquals(gpu.vkGetPhysicalDeviceSurfaceSupportKHR(0, surface), false);
    assertEquals(resultOf(() => gpu.vkGetPhysicalDeviceSurfaceCapabilitiesKHR(surface)), NOT_PRESENT);
    instance.vkDestroySurfaceKHR(surface);
  });
});

Deno.test("acceptance 80: the error of the only driver that can make surfaces is the caller's", () => {
  const poor = presenting("poor", 1n, []);
  const commands = { ...poor.commands, vkCreateHeadlessSurfaceEXT: () => -2 };
  withDrivers([{ ...poor, commands }, { name: "plain" }], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance(INFO);
    assertEquals(resultOf(() => instance.vkCreateHeadlessSurfaceEXT({})), -2);
  });
});

Deno.test("acceptance 80: mixed drivers: the one without surfaces says it cannot present, and nothing of it reaches it", () => {
  const seen: bigint[] = [], failed: bigint[] = [];
  const failing = presenting("failing", 5n, failed);
  const commands = { ...failing.commands, vkCreateHeadlessSurfaceEXT: () => NOT_PRESENT };
  withDrivers([presenting("able", 11n, seen), { ...failing, commands }], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance(INFO);
    const surface = instance.vkCreateHeadlessSurfaceEXT({});
    assertEquals(gpuOf(instance, "able").vkGetPhysicalDeviceSurfaceSupportKHR(0, surface), true);
    const other = gpuOf(instance, "failing");
    assertEquals(other.vkGetPhysicalDeviceSurfaceSupportKHR(0, surface), false);
    assertEquals(resultOf(() => other.vkGetPhysicalDeviceSurfaceCapabilitiesKHR(surface)), NOT_PRESENT);
    instance.vkDestroySurfaceKHR(surface);
  });
  assertEquals([seen, failed], [[11n, 11n], []]);
});

Deno.test("acceptance 81: a driver that cannot say whether it may present says no", () => {
  const able = presenting("able", 11n, []), without = presenting("without", 22n, [], [SURFACE, HEADLESS]);
  const commands = { ...able.commands, vkGetPhysicalDeviceXcbPresentationSupportKHR: () => 1 };
  withDrivers(
    [{ ...able, commands }, { ...without, missing: ["vkGetPhysicalDeviceXcbPresentationSupportKHR"] }],
    ({ vulkan, said }) => {
      using instance = vulkan.vkCreateInstance(INFO);
      const ask = (name: string) =>
        gpuOf(instance, name).raw.vkGetPhysicalDeviceXcbPresentationSupportKHR(
          gpuOf(instance, name).handle,
          0,
          0n,
          0,
        );
      assertEquals([ask("able"), ask("without")], [1, 0]);
      const name = "vkGetPhysicalDeviceXcbPresentationSupportKHR";
      assert(said.includes(`ICD for selected physical device does not export ${name}!`), said.join("\n"));
    },
  );
});

Deno.test("acceptance 82: swapchains and groups get the driver's own surface, and the create info stays as it was", () => {
  const one: bigint[] = [], two: bigint[] = [];
  withDrivers([presenting("one", 11n, one), presenting("two", 22n, two)], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance(INFO);
    const surface = instance.vkCreateHeadlessSurfaceEXT({});
    for (const name of ["one", "two"]) {
      using device = gpuOf(instance, name).vkCreateDevice(QUEUE);
      device.vkGetDeviceGroupSurfacePresentModesKHR(surface);
      const swapchain = device.vkCreateSwapchainKHR(smallSwapchain(surface));
      assertEquals(swapchain, 99n);
    }
    instance.vkDestroySurfaceKHR(surface);
  });
  assertEquals([one, two], [[11n, 11n, 11n], [22n, 22n, 22n]]);
});

Deno.test("acceptance 79: surface queries with a chain, on a driver that has only those without", () => {
  const one: bigint[] = [], two: bigint[] = [];
  const extended = presenting("extended", 11n, one, [SURFACE, HEADLESS, CAPABILITIES_2]);
  const plain = presenting("plain", 22n, two, [SURFACE, HEADLESS]);
  const missing = ["vkGetPhysicalDeviceSurfaceCapabilities2KHR", "vkGetPhysicalDeviceSurfaceFormats2KHR"];
  withDrivers([extended, { ...plain, missing }], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [SURFACE, HEADLESS, CAPABILITIES_2] });
    const surface = instance.vkCreateHeadlessSurfaceEXT({});
    for (const name of ["extended", "plain"]) {
      gpuOf(instance, name).vkGetPhysicalDeviceSurfaceCapabilities2KHR({ surface });
    }
    assertEquals(gpuOf(instance, "plain").vkGetPhysicalDeviceSurfaceFormats2KHR({ surface }), []);
    instance.vkDestroySurfaceKHR(surface);
  });
  assertEquals([one, two], [[11n, 11n], [22n, 22n, 22n]]);
});

/** A driver with one display that has one mode, a display of the other's handle aside. */
function withDisplay(name: string, own: bigint, mode: bigint, seen: bigint[]): DriverSpec {
  const list = (size: number, handle: bigint) => (...args: unknown[]) => {
    const [count, out] = args.slice(-2) as [bigint, bigint];
    poke32(count, 1);
    if (out !== 0n) { for (let at = 0; at < size; at += 8) pokeHandle(out + BigInt(at), at === 0 ? handle : 0n); }
    return 0;
  };
  const { commands } = presenting(name, own, seen);
  return {
    ...presenting(name, own, seen, [SURFACE, "VK_KHR_display"]),
    commands: {
      ...commands,
      vkGetPhysicalDeviceDisplayPropertiesKHR: list(48, 1n),
      vkGetDisplayModePropertiesKHR: list(24, mode),
      vkCreateDisplayPlaneSurfaceKHR(_next, _instance, info, _allocator, out) {
        seen.push(peek64(info + 24n));
        pokeHandle(out, own);
        return 0;
      },
    },
  };
}

Deno.test("a display's surface is made by the driver the display mode is of, and by no other", () => {
  const one: bigint[] = [], two: bigint[] = [];
  withDrivers([withDisplay("one", 11n, 501n, one), withDisplay("two", 22n, 502n, two)], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [SURFACE, "VK_KHR_display"] });
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    const info = { planeIndex: 0, planeStackIndex: 0, transform: 1, globalAlpha: 1, alphaMode: 1 };
    const make = (displayMode: bigint) =>
      instance.vkCreateDisplayPlaneSurfaceKHR({
        ...info,
        displayMode: displayMode as VkDisplayModeKHR,
        imageExtent: { width: 1, height: 1 },
      });
    instance.vkDestroySurfaceKHR(make(502n));
    assertEquals(resultOf(() => make(503n)), NOT_PRESENT);
    assertEquals(gpu.vkGetPhysicalDeviceDisplayPropertiesKHR().length, 1);
  });
  assertEquals([one, two], [[], [502n, 22n]]);
});

for (const [system, member] of [["Xlib", "dpy"], ["Xcb", "connection"], ["Wayland", "display"]] as const) {
  Deno.test(`surfaces of ${system} pass through to the driver with what the application says of the window`, () => {
    const extension = `VK_KHR_${system.toLowerCase()}_surface`, command = `vkCreate${system}SurfaceKHR` as const;
    const seen: bigint[] = [];
    const note = (_next: unknown, _instance: bigint, info: bigint, _allocator: bigint, out: bigint) => {
      seen.push(peek64(info + 24n));
      pokeHandle(out, 11n);
      return 0;
    };
    const spec = { ...presenting("one", 11n, []), instanceExtensions: [SURFACE, extension] };
    withDrivers([{ ...spec, commands: { ...spec.commands, [command]: note } }], ({ vulkan }) => {
      using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [SURFACE, extension] });
      const surface = instance[command]({ [member]: 0x1234n } as never);
      instance.vkDestroySurfaceKHR(surface);
    });
    assertEquals(seen, [0x1234n]);
  });
}
