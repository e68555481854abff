import { SPEC_RULES } from "./spec.ts";
import { checkOptions } from "../../ffi/check_options.ts";
import { inFrame } from "../../ffi/arena.ts";
import { codec, codecBySType, type StructObject } from "../codec/codec.ts";
import { findCommand } from "../command/registry/table.ts";
import { defineLayer } from "../layers/define/define_layer.ts";
import { EntryPoints } from "./entry_points.ts";
import { familiesOf, structsOf } from "./physical_device_commands.ts";
import type { DriverSpec, PhysicalDeviceSpec, ScriptedDriver } from "./spec.ts";
import { type DriverState, stateOf } from "./state.ts";

/** Functions of the loader-driver interface that a driver may lack. */
const INTERFACE_FUNCTIONS = ["vk_icdNegotiateLoaderICDInterfaceVersion", "vk_icdGetPhysicalDeviceProcAddr"];

/**
 * Makes a Vulkan driver in TypeScript to test layers, loaders and applications
 * on. The test decides what a device has and what goes wrong. Give the driver
 * to `loadVulkan` as `driver`, and close it after the loader.
 *
 * The driver speaks version 7 of the loader-driver interface and has every core
 * command of its `apiVersion` and those of the extensions that it lists.
 * Objects can be created and destroyed, memory can be mapped, and queries
 * answer what `physicalDevices` say. All other commands succeed and do nothing.
 * Commands run on the thread that made the driver; see
 * {@linkcode DriverSpec.onForeignThread}.
 *
 * @throws {TypeError} if the name is empty, a hook is not a function, or a
 *   command or a struct's member does not exist.
 *
 * @example An application meets a driver that runs out of memory
 * ```ts ignore
 * import { defineDriver } from "@pumice/gfx/drivers";
 * import { loadVulkan, VulkanError } from "@pumice/gfx/loader";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * using driver = defineDriver({
 *   name: "a small card",
 *   physicalDevices: [{ properties: { deviceName: "Card A" } }],
 *   commands: { vkAllocateMemory: () => -2 }, // VK_ERROR_OUT_OF_DEVICE_MEMORY
 * });
 * using vulkan = loadVulkan({ driver });
 * using instance = vulkan.vkCreateInstance({});
 * const [gpu] = instance.vkEnumeratePhysicalDevices();
 * assertEquals(gpu.vkGetPhysicalDeviceProperties().deviceName, "Card A");
 * using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
 * assertThrows(() => device.vkAllocateMemory({ allocationSize: 64n, memoryTypeIndex: 0 }), VulkanError);
 * assertEquals(driver.live("VkDevice"), 1);
 * ```
 */
export function defineDriver(spec: DriverSpec): ScriptedDriver {
  checkOptions("defineDriver()", spec, SPEC_RULES);
  if (typeof spec.name !== "string" || spec.name === "") {
    throw new TypeError('Cannot define a driver without a name: give it one such as "two cards"');
  }
  defineLayer({ name: spec.name, commands: spec.commands }); // hooks of layers are checked in the same way
  for (const name of spec.missing ?? []) checkMissing(name);
  const state = stateOf(spec), calls: string[] = [];
  try {
    for (const each of state.physicalDevices) checkStructs(each, state.apiVersion);
    return driverOver(state, new EntryPoints(state, calls), calls);
  } catch (error) {
    state.objects.close();
    throw error;
  }
}

function driverOver(state: DriverState, entryPoints: EntryPoints, calls: string[]): ScriptedDriver {
  let open = true;
  const { spec: { name }, objects, physicalDevices } = state;
  function close(): void {
    if (!open) return;
    open = false;
    entryPoints.close();
    objects.close();
  }
  return {
    name,
    get getInstanceProcAddr() {
      if (open) return entryPoints.getInstanceProcAddr;
      throw new TypeError(`Cannot use driver "${name}": it is closed; close it after the loaders that use it`);
    },
    physicalDevices,
    calls,
    live: (type) => objects.live(type),
    close,
    [Symbol.dispose]: close,
  };
}

function checkMissing(name: string): void {
  if (findCommand(name) || INTERFACE_FUNCTIONS.includes(name)) return;
  throw new TypeError(`Cannot leave out ${name}: there is no such Vulkan command; check the spelling`);
}

/** Encodes all answers of a device once, because a misspelt member is better found now than in a callback. */
function checkStructs(spec: PhysicalDeviceSpec, apiVersion: number): void {
  const structs = Object.entries(structsOf(spec, apiVersion));
  for (const family of familiesOf(spec)) structs.push(["VkQueueFamilyProperties", family]);
  for (const item of spec.chain ?? []) structs.push([codecBySType(item.sType)?.name ?? unknownType(item), item]);
  inFrame((memory) => {
    for (const [name, value] of structs) {
      const { size, encodeOut } = codec(name);
      encodeOut(value as StructObject, memory.alloc(size));
    }
  });
}

function unknownType({ sType }: { readonly sType: number }): never {
  throw new TypeError(
    `Cannot chain a struct of sType ${sType}: the registry knows none; give a VK_STRUCTURE_TYPE_… value`,
  );
}
