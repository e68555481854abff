import type { Library } from "../../ffi/library.ts";
import { arena } from "../../ffi/arena.ts";
import { invoke } from "../../ffi/machine.ts";
import { DriverError } from "../error.ts";
import type { EntryPoints } from "./driver.ts";

/** The newest loader-ICD interface this loader speaks. */
const NEWEST_INTERFACE = 7;
const VK_ERROR_INCOMPATIBLE_DRIVER = -9;

/**
 * Entry points of an ICD, or `undefined` when the library is none. Follows
 * the loader-driver interface: negotiate first, then the exported
 * vk_icdGetInstanceProcAddr, else the version 0 name vkGetInstanceProcAddr.
 */
export function icdEntryPoints(path: string, library: Library): EntryPoints | undefined {
  const icdName = library.find("vk_icdGetInstanceProcAddr");
  const getInstanceProcAddr = icdName || library.find("vkGetInstanceProcAddr");
  if (getInstanceProcAddr === 0n) return undefined;
  const negotiate = library.find("vk_icdNegotiateLoaderICDInterfaceVersion");
  const interfaceVersion = negotiate ? negotiated(path, negotiate) : icdName ? 1 : 0;
  return {
    kind: "icd",
    interfaceVersion,
    getInstanceProcAddr,
    given: new Map(exportedGlobals(library, interfaceVersion)),
  };
}

function negotiated(path: string, negotiate: bigint): number {
  const memory = arena();
  const mark = memory.mark();
  try {
    const version = memory.alloc(4);
    memory.view.setUint32(version, NEWEST_INTERFACE, true);
    // VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *pVersion)
    const result = invoke(negotiate, "s:q", [memory.address(version)]);
    if (result === VK_ERROR_INCOMPATIBLE_DRIVER) {
      throw new DriverError(
        path,
        `Cannot use "${path}" as a Vulkan driver: it refuses loader interface version ${NEWEST_INTERFACE}; take a newer driver`,
      );
    }
    return Math.min(memory.view.getUint32(version, true), NEWEST_INTERFACE);
  } finally {
    memory.release(mark);
  }
}

/** A version 0 driver need not answer global names through vkGetInstanceProcAddr: its exports count. */
function* exportedGlobals(library: Library, interfaceVersion: number): Iterable<[string, bigint]> {
  if (interfaceVersion > 0) return;
  for (const name of ["vkCreateInstance", "vkEnumerateInstanceExtensionProperties"]) {
    const address = library.find(name);
    if (address !== 0n) yield [name, address];
  }
}
