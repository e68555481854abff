import { inFrame } from "../../../../ffi/arena.ts";
import {
  DEVICE_CREATE_INFO,
  enabledExtensions,
  requestedExtensions,
  requestedVersion,
  setExtensions,
} from "../../../../loader/driver/structs/create_info.ts";
import { VK_ERROR_EXTENSION_NOT_PRESENT, VK_SUCCESS } from "../../../../loader/gen/native_gen.ts";
import { VK_MAKE_API_VERSION } from "../../../../loader/version.ts";

/** The oldest version whose instances need no extension for what {@linkcode EXTENSION} adds. */
export const VERSION_1_1 = VK_MAKE_API_VERSION(0, 1, 1, 0);
const EXTENSION = "VK_KHR_get_physical_device_properties2";

/** The extensions of an instance that extensions of its devices may build on. */
export interface InstanceFacts {
  readonly version: number;
  readonly hasProperties2: boolean;
}

/** Reads a VkInstanceCreateInfo. */
export function instanceFacts(info: bigint): InstanceFacts {
  return { version: requestedVersion(info), hasProperties2: requestedExtensions(info).includes(EXTENSION) };
}

/** A device that was created or refused. */
export interface Enabled {
  /** The VkResult. */
  readonly result: number;
  /** Whether the device has the extension. */
  readonly isEnabled: boolean;
}

/**
 * Creates a device with one extension more. A device that has the extension in its list but not in its hands is
 * created as the program wants it. `create` gets the address of a VkDeviceCreateInfo.
 */
export function createWith(extension: string | undefined, info: bigint, create: (info: bigint) => number): Enabled {
  const names = info === 0n ? undefined : enabledExtensions(info);
  if (extension === undefined || !names) return { result: create(info), isEnabled: false };
  if (names.includes(extension)) return { result: create(info), isEnabled: true };
  return inFrame((memory) => {
    const copy = memory.copyIn(info, DEVICE_CREATE_INFO);
    setExtensions(copy, [...names, extension]);
    const result = create(memory.address(copy));
    if (result === VK_ERROR_EXTENSION_NOT_PRESENT) return { result: create(info), isEnabled: false };
    return { result, isEnabled: result === VK_SUCCESS };
  });
}
