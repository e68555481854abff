import { createThunk, type Thunk, type ThunkOptions } from "../../../ffi/thunk/thunk.ts";
import { noSurface, SWAPCHAINS } from "../../emit/members/surface_check.ts";
import { orphanCall } from "../../chain/orphan.ts";
import { tableLayout } from "../../chain/table/table_layout.ts";
import type { NativeCall } from "../../command/compile.ts";
import { commandSignature } from "../../command/plan.ts";
import { findCommand } from "../../command/registry/table.ts";
import { MEMBER } from "../../emit/layout.ts";
import { createMembers, type MemberJump, type Members } from "../../emit/members/members.ts";
import {
  offsetsOfVkDebugUtilsObjectNameInfoEXT,
  offsetsOfVkPhysicalDeviceSurfaceInfo2KHR,
  offsetsOfVkSwapchainCreateInfoKHR,
  sizeOfVkDebugUtilsObjectNameInfoEXT,
  sizeOfVkDebugUtilsObjectTagInfoEXT,
  sizeOfVkPhysicalDeviceSurfaceInfo2KHR,
  sizeOfVkSwapchainCreateInfoKHR,
  VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT,
  VK_DEBUG_REPORT_OBJECT_TYPE_PHYSICAL_DEVICE_EXT,
  VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT,
  VK_ERROR_EXTENSION_NOT_PRESENT,
  VK_OBJECT_TYPE_INSTANCE,
  VK_OBJECT_TYPE_PHYSICAL_DEVICE,
  VK_OBJECT_TYPE_SURFACE_KHR,
} from "../../gen/native_gen.ts";
import { DEVICE_VARIABLES } from "./physical_devices/device_choice.ts";
import { memberIndices, memberTableSize, MOST_UNKNOWN, unknownIndex } from "./members/member.ts";

type Struct = MemberJump["struct"];

const [SWAPCHAIN, SHARED_SWAPCHAINS] = SWAPCHAINS;
const SURFACE_INFO: Struct = {
  size: sizeOfVkPhysicalDeviceSurfaceInfo2KHR,
  handle: offsetsOfVkPhysicalDeviceSurfaceInfo2KHR.surface,
  kinds: [{ kind: "surface" }],
};
const SWAPCHAIN_INFO = {
  size: sizeOfVkSwapchainCreateInfoKHR,
  handle: offsetsOfVkSwapchainCreateInfoKHR.surface,
  kinds: [{ kind: "surface" }],
} as const;

/** VkObjectType and, for the older extension, VkDebugReportObjectTypeEXT of handles that belong to the loader. */
const OBJECT_KINDS = [
  { type: VK_OBJECT_TYPE_INSTANCE, kind: "instance" },
  { type: VK_OBJECT_TYPE_PHYSICAL_DEVICE, kind: "physicalDevice" },
  { type: VK_OBJECT_TYPE_SURFACE_KHR, kind: "surface" },
] as const;
const REPORT_KINDS = [
  { type: VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT, kind: "instance" },
  { type: VK_DEBUG_REPORT_OBJECT_TYPE_PHYSICAL_DEVICE_EXT, kind: "physicalDevice" },
  { type: VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT, kind: "surface" },
] as const;

/** Structs of both extensions that name or tag an object. All have its type and its handle at the same places. */
const NAME_INFO = sizeOfVkDebugUtilsObjectNameInfoEXT, TAG_INFO = sizeOfVkDebugUtilsObjectTagInfoEXT;
const OBJECT = offsetsOfVkDebugUtilsObjectNameInfoEXT.objectHandle;

let made: Members | null | undefined;
let jumps: ReadonlySet<string> | undefined;

/**
 * Returns the machine code that all joined drivers share, made at the first
 * call; `undefined` where emitted code cannot be used.
 */
export function joinedCode(): Members | undefined {
  if (made === undefined) {
    const specs = jumpSpecs();
    jumps = new Set(specs.map(({ name }) => name));
    made = createMembers({
      count: unknownIndex(0) + MOST_UNKNOWN,
      jumps: specs,
      shared: {
        name: SHARED_SWAPCHAINS,
        target: target(SHARED_SWAPCHAINS),
        struct: SWAPCHAIN_INFO,
        absent: noSurface(SHARED_SWAPCHAINS),
      },
      memberOffset: 8 * tableLayout("device").own,
      variables: DEVICE_VARIABLES,
      table: {
        size: memberTableSize(),
        destroyInstance: target("vkDestroyInstance"),
        destroySurface: target("vkDestroySurfaceKHR"),
        listDevices: target("vkEnumeratePhysicalDevices"),
        listGroups: target("vkEnumeratePhysicalDeviceGroups"),
        getInstanceProcAddr: target("vkGetInstanceProcAddr"),
      },
    }) ??
      null;
  }
  return made ?? undefined;
}

/** Returns the function for a physical-device command. It calls the member that the device belongs to. */
export function physicalDeviceCode(name: string): bigint {
  const code = joinedCode()!;
  return jumps!.has(name) ? code.jump(name) : code.at(memberIndices().get(name)!);
}

function jumpSpecs(): MemberJump[] {
  return [
    ofGpu("vkGetPhysicalDeviceSurfaceSupportKHR", 2, undefined, { result: 0, clear: 3 }),
    ofGpu("vkGetPhysicalDeviceSurfaceCapabilitiesKHR", 1),
    ofGpu("vkGetPhysicalDeviceSurfaceFormatsKHR", 1),
    ofGpu("vkGetPhysicalDeviceSurfacePresentModesKHR", 1),
    ofGpu("vkGetPhysicalDevicePresentRectanglesKHR", 1),
    ofGpu("vkGetPhysicalDeviceSurfaceCapabilities2EXT", 1),
    ofGpu("vkGetPhysicalDeviceSurfaceCapabilities2KHR", 1, SURFACE_INFO),
    ofGpu("vkGetPhysicalDeviceSurfaceFormats2KHR", 1, SURFACE_INFO),
    ofGpu("vkGetPhysicalDeviceSurfacePresentModes2EXT", 1, SURFACE_INFO),
    ofDevice("vkGetDeviceGroupSurfacePresentModesKHR"),
    ofDevice("vkGetDeviceGroupSurfacePresentModes2EXT", SURFACE_INFO),
    { ...ofDevice(SWAPCHAIN, SWAPCHAIN_INFO), absent: noSurface(SWAPCHAIN) },
    ofDevice("vkSetDebugUtilsObjectNameEXT", { size: NAME_INFO, handle: OBJECT, kinds: OBJECT_KINDS }),
    ofDevice("vkSetDebugUtilsObjectTagEXT", { size: TAG_INFO, handle: OBJECT, kinds: OBJECT_KINDS }),
    ofDevice("vkDebugMarkerSetObjectNameEXT", { size: NAME_INFO, handle: OBJECT, kinds: REPORT_KINDS }),
    ofDevice("vkDebugMarkerSetObjectTagEXT", { size: TAG_INFO, handle: OBJECT, kinds: REPORT_KINDS }),
  ];
}

const NOT_PRESENT: MemberJump["absent"] = { result: VK_ERROR_EXTENSION_NOT_PRESENT };

function ofGpu(name: string, argument: number, struct?: Struct, absent = foreignSurface(name)): MemberJump {
  return { name, holder: "physicalDevice", target: target(name), argument, struct, absent };
}

/** The answer about a surface that the driver of a physical device does not have. */
function foreignSurface(name: string): MemberJump["absent"] {
  const said = `${"[Vulkan Loader] ERROR:".padEnd(32)}${name}: the driver of this physical device has no such ` +
    "surfaces, or the surface is of another instance\n";
  return { ...NOT_PRESENT, said };
}

function ofDevice(name: string, struct?: Struct): MemberJump {
  return { name, holder: "device", target: target(name), argument: 1, struct, absent: NOT_PRESENT };
}

function target(name: string): number {
  return MEMBER.functions + 8 * memberIndices().get(name)!;
}

/** Lets other threads wait, and refuses where the thread that they wait for is not. */
export function waiting(name: string): ThunkOptions {
  return { onForeignThread: "block", next: orphanCall(name) };
}

/** Callbacks that live as long as their driver. */
export class Thunks {
  readonly #made: Thunk[] = [];

  /**
   * Makes a function with a command's C signature. Other threads wait for this
   * thread, unless the options say otherwise.
   */
  command(name: string, handler: NativeCall, options: ThunkOptions = waiting(name)): bigint {
    return this.function(commandSignature(findCommand(name)!, "raw"), handler, { name, ...options });
  }

  /** Makes a function of any signature. */
  function(signature: string, handler: NativeCall, options: ThunkOptions): bigint {
    const thunk = createThunk(signature, handler, options);
    this.#made.push(thunk);
    return thunk.address;
  }

  /** Frees all functions. No native code may hold any. */
  close(): void {
    for (const thunk of this.#made.splice(0)) thunk.free();
  }
}
