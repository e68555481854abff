import { type HalFailure, openHalDevice } from "../../../ffi/android/hardware_module.ts";
import type { OpenLibrary } from "../../../ffi/library/library.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { DriverError } from "../../error.ts";
import type { EntryPoints } from "./driver.ts";

/** HWVULKAN_DEVICE_0, the device every Vulkan HAL module opens. */
const HWVULKAN_DEVICE_0 = "vk0";
/** HWVULKAN_HARDWARE_MODULE_ID. */
const HWVULKAN_MODULE = "vulkan";
/** hwvulkan_device_t after its hw_device_t: three function pointers. */
const ENUMERATE_INSTANCE_EXTENSION_PROPERTIES = 120n, CREATE_INSTANCE = 128n, GET_INSTANCE_PROC_ADDR = 136n;

/**
 * Returns the entry points of an Android HAL module; `undefined` if the library
 * exports no `HMI`. Throws a {@linkcode DriverError}.
 */
export function halEntryPoints(path: string, library: OpenLibrary): EntryPoints | undefined {
  const found = openHal(library);
  if (!found || !("failure" in found)) return found;
  throw new DriverError("unusable", path, `Cannot use "${path}" as a Vulkan driver: ${found.failure}`);
}

/**
 * Returns the entry points of an Android HAL module, the reason why it has
 * none, or `undefined` if the library exports no `HMI`.
 */
export function openHal(library: OpenLibrary): EntryPoints | HalFailure | undefined {
  const module = library.find("HMI");
  if (module === 0n) return undefined;
  const device = openHalDevice(module, HWVULKAN_MODULE, HWVULKAN_DEVICE_0, library.handle);
  if ("failure" in device) return device;
  return {
    kind: "hal",
    interfaceVersion: 0,
    getInstanceProcAddr: peek64(device.address + GET_INSTANCE_PROC_ADDR),
    getPhysicalDeviceProcAddr: 0n,
    given: new Map([
      ["vkCreateInstance", peek64(device.address + CREATE_INSTANCE)],
      ["vkEnumerateInstanceExtensionProperties", peek64(device.address + ENUMERATE_INSTANCE_EXTENSION_PROPERTIES)],
    ]),
    close: device.close,
  };
}
