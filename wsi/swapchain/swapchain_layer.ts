import { peek64 } from "../../ffi/machine.ts";
import { findExtension } from "../../loader/command/registry/extension.ts";
import { findCommand } from "../../loader/command/registry/table.ts";
import { requestedExtensions, requestedVersion } from "../../loader/driver/structs/create_info.ts";
import type { Layer, LayerExtension } from "../../loader/layer.ts";
import { defineLayer } from "../../loader/layers/define/define_layer.ts";
import { viewOf } from "../../loader/layers/hooks/chain_view.ts";
import { hidingHooks } from "../../loader/layers/hooks/hooks.ts";
import { NATIVE_BUFFER } from "../../loader/terminator/android/hooks.ts";
import { deviceHooks } from "./device_hooks.ts";
import { closeSwapchains } from "./end_swapchain.ts";
import type { Below, DeviceState, InstanceState, NativeImages, Parts, WindowSystem } from "./environment.ts";
import { broughtToDevices, broughtToInstances, isWindowFeature, rules, shownExtensions } from "./extensions.ts";
import { closeSurfaces, instanceHooks } from "./instance_hooks.ts";
import {
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_TIMING_FEATURES_EXT,
  VkAndroidSurfaceCreateInfoKHR,
} from "../../loader/gen/native_gen.ts";
import { gateDevice } from "../../loader/terminator/android/device_extensions.ts";
import { WINDOW_DEVICE_EXTENSIONS } from "../../loader/terminator/android/instance_extensions.ts";
import { extensionsBelow, factsOf } from "./device_facts.ts";
import { VK } from "./results.ts";

/** Extensions of the window system that only the window system may pass on. */
const LATE = ["VK_EXT_present_mode_fifo_latest_ready", "VK_KHR_swapchain_mutable_format", "VK_KHR_present_wait"];

/** The arguments with which a device is created. */
interface DeviceMaking {
  readonly parts: Parts;
  readonly adaptor: NativeImages;
  /** Calls vkCreateDevice below, with this VkDeviceCreateInfo. */
  create(info: bigint): number;
}

/**
 * vkCreateDevice: leaves out the extensions that the window system itself offers, and enables below the extensions that
 * they depend on.
 */
function createDevice(
  { parts, adaptor, create }: DeviceMaking,
  gpu: bigint,
  info: bigint,
  out: bigint,
): DeviceState | number {
  const { system, context } = parts, wanted = requestedExtensions(info), below = extensionsBelow(context, gpu);
  if (typeof below === "number") return below;
  const shown = shownExtensions(system, below, factsOf(context, parts.instance(gpu), gpu, system));
  const offered = new Set(shown.map(({ extensionName }) => extensionName));
  const hidden = system.isFaithful ? [] : [NATIVE_BUFFER];
  if (wanted.some((name) => hidden.includes(name) || (isOurs(name) && !offered.has(name)))) {
    return VK.EXTENSION_NOT_PRESENT;
  }
  const known = below.filter(({ extensionName }) => !isOurs(extensionName) || extensionName === "VK_KHR_swapchain");
  const gated = gateDevice(wanted, { driver: known, options: rules(system), versions: [], say: () => {} });
  const read = context.read("VkDeviceCreateInfo", info), chained = (read.pNext ?? []) as unknown as Chained[];
  if (
    chained.some((each) =>
      each.sType === VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_TIMING_FEATURES_EXT && each.presentAtRelativeTime
    )
  ) {
    return VK.FEATURE_NOT_PRESENT;
  }
  const pNext = chained.filter((each) => !isWindowFeature(each)) as never;
  const unknown = wanted.filter((name) => !offered.has(name) && name !== NATIVE_BUFFER);
  const names = [...gated.names, ...unknown]; // the layers and the driver below refuse or ignore unknown names
  const enabled = { enabledExtensionCount: names.length, ppEnabledExtensionNames: names };
  const result = create(context.write("VkDeviceCreateInfo", { ...read, pNext, ...enabled }));
  if (result < 0) return result;
  const handle = peek64(out), isAdapted = adaptor.takesPartIn(handle), has = parts.commandsOf(handle);
  const revision = below.find(({ extensionName }) => extensionName === NATIVE_BUFFER)?.specVersion;
  if (gated.names.includes(NATIVE_BUFFER)) system.onDevice(isAdapted ? undefined : revision);
  return { handle, gpu, extensions: new Set(wanted), isAdapted, adaptor: isAdapted ? adaptor : undefined, has };
}

interface Chained {
  readonly sType: number;
  readonly presentAtRelativeTime?: boolean;
}

function isOurs(name: string): boolean {
  return WINDOW_DEVICE_EXTENSIONS.includes(name) || LATE.includes(name);
}

/**
 * The layer with Android's surfaces and swapchains, over a provider of VK_ANDROID_native_buffer below: the driver, or
 * the `adaptor`.
 */
export function swapchainLayer(adaptor: NativeImages, system: WindowSystem): Layer {
  const hidden = findExtension(NATIVE_BUFFER)!.commands;
  const instances = new Map<bigint, InstanceState>();
  const devices = new Map<bigint, DeviceState>();
  const parts = {
    system,
    instance: (handle: bigint) => instances.get(peek64(handle))!,
    device: (handle: bigint) => devices.get(peek64(handle))!,
    commandsOf: (handle: bigint) => {
      const view = viewOf(layer, handle)!;
      return (name: string) => view.address(findCommand(name)!) !== 0n;
    },
  } as Parts & { context: Below };
  const layer: Layer = defineLayer({
    name: "VK_LAYER_PUMICE_android_swapchain",
    ownHandles: true,
    hides: hidden as Layer["hides"],
    onForeignThread: "block",
    instanceExtensions: [...broughtToInstances(system.release), HEADLESS_PROXY],
    deviceExtensions: broughtToDevices(),
    commands: {
      vkCreateInstance(next, info, allocator, out) {
        const result = next(info, allocator, out);
        if (result < 0) return result;
        parts.context = this;
        const handle = peek64(out), extensions = new Set(requestedExtensions(info));
        const apiVersion = requestedVersion(info), has = parts.commandsOf(handle);
        instances.set(peek64(handle), { handle, extensions, apiVersion, has });
        return result;
      },
      vkDestroyInstance(next, instance, allocator) {
        const key = instance === 0n ? 0n : peek64(instance);
        closeSurfaces(system, instance);
        next(instance, allocator);
        instances.delete(key);
      },
      vkCreateDevice(next, gpu, info, allocator, out) {
        const made = createDevice(
          { parts, adaptor, create: (changed) => next(gpu, changed, allocator, out) },
          gpu,
          info,
          out,
        );
        if (typeof made === "number") return made;
        devices.set(peek64(made.handle), made);
        return 0;
      },
      vkDestroyDevice(next, device, allocator) {
        const key = device === 0n ? 0n : peek64(device);
        if (device !== 0n) closeSwapchains(system, this, device);
        next(device, allocator);
        devices.delete(key);
      },
      ...hidingHooks(hidden),
      ...instanceHooks(parts),
      ...deviceHooks(parts),
    },
  });
  return layer;
}

const ANDROID = "VK_KHR_android_surface", HEADLESS = "VK_EXT_headless_surface";

/**
 * The extension of the surfaces that are passed down the chain. The driver need not have the extension, and no list
 * shows it.
 */
const HEADLESS_PROXY: LayerExtension = { extensionName: HEADLESS, specVersion: 1, isListed: false };

/**
 * The layer above native layers that passes Android's surfaces through them as headless surfaces, down to a window
 * system's layer. Native layers that were built for Linux do not know Android's surfaces: Khronos validation passes
 * their creation on unseen, and ends the process when one is used.
 */
export function headlessSurfaceProxy(system: WindowSystem): Layer {
  return defineLayer({
    name: "VK_LAYER_PUMICE_headless_surface_proxy",
    isListed: false,
    ownHandles: true,
    onForeignThread: { vkCreateAndroidSurfaceKHR: "block" },
    commands: {
      vkCreateInstance(next, info, allocator, out) {
        const names = requestedExtensions(info);
        if (!names.includes(ANDROID) || names.includes(HEADLESS)) return next(info, allocator, out);
        const read = this.read("VkInstanceCreateInfo", info), ppEnabledExtensionNames = [...names, HEADLESS];
        const enabledExtensionCount = ppEnabledExtensionNames.length;
        const added = { ...read, enabledExtensionCount, ppEnabledExtensionNames };
        return next(this.write("VkInstanceCreateInfo", added), allocator, out);
      },
      vkCreateAndroidSurfaceKHR(_next, instance, info, allocator, out) {
        system.proxiedWindow = peek64(info + VkAndroidSurfaceCreateInfoKHR.window);
        try {
          const headlessProxy = this.write("VkHeadlessSurfaceCreateInfoEXT", {});
          return this.below(instance).vkCreateHeadlessSurfaceEXT(instance, headlessProxy, allocator, out);
        } finally {
          system.proxiedWindow = 0n;
        }
      },
    },
  });
}
