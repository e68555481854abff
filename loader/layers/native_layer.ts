import { arena } from "../../ffi/arena.ts";
import { Library } from "../../ffi/library.ts";
import { invoke } from "../../ffi/machine.ts";
import type { ChainElement } from "../chain/element.ts";
import { DriverError } from "../error.ts";

/** A layer loaded from a library. */
export interface NativeLayer extends ChainElement, Disposable {
  /** The library. */
  readonly path: string;
  /** Closes the library. No instance may use the layer any more. */
  close(): void;
}

/** VkNegotiateLayerInterface: its size, its own sType, and where its members are. */
const NEGOTIATE = { size: 48, sType: 1, version: 16, instance: 24, device: 32 } as const;
/** The loader-layer interface this loader speaks. */
const INTERFACE_VERSION = 2;

/** Opens a native layer by its library. Throws a {@linkcode DriverError} that says what was found and what to do. */
export function openNativeLayer(name: string, path: string): NativeLayer {
  const library = loadLibrary(path);
  const found = negotiate(library) ?? exported(library, name);
  if (found.getInstanceProcAddr === 0n) {
    library.close();
    throw new DriverError(
      path,
      `Cannot use "${path}" as a layer: it exports neither vkNegotiateLoaderLayerInterfaceVersion nor vkGetInstanceProcAddr; name the layer's library or its manifest`,
    );
  }
  const close = () => library.close();
  return { name, path, ...found, close, [Symbol.dispose]: close };
}

function loadLibrary(path: string): Library {
  try {
    return Library.open(path);
  } catch (error) {
    throw new DriverError(path, `Cannot use "${path}" as a layer: ${(error as Error).message}`, { cause: error });
  }
}

interface EntryPoints {
  getInstanceProcAddr: bigint;
  getDeviceProcAddr: bigint;
}

function negotiate(library: Library): EntryPoints | undefined {
  const address = library.find("vkNegotiateLoaderLayerInterfaceVersion");
  if (address === 0n) return undefined;
  const memory = arena(), mark = memory.mark();
  try {
    const info = memory.alloc(NEGOTIATE.size), { view } = memory;
    memory.bytes.fill(0, info, info + NEGOTIATE.size);
    view.setUint32(info, NEGOTIATE.sType, true);
    view.setUint32(info + NEGOTIATE.version, INTERFACE_VERSION, true);
    // VkResult vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *pVersionStruct)
    if (invoke(address, "s:q", [memory.address(info)]) !== 0) return undefined;
    return {
      getInstanceProcAddr: view.getBigUint64(info + NEGOTIATE.instance, true),
      getDeviceProcAddr: view.getBigUint64(info + NEGOTIATE.device, true),
    };
  } finally {
    memory.release(mark);
  }
}

/** Layers that do not negotiate: their own prefix first, as old layers with several in one library have it. */
function exported(library: Library, name: string): EntryPoints {
  return {
    getInstanceProcAddr: library.find(`${name}GetInstanceProcAddr`) || library.find("vkGetInstanceProcAddr"),
    getDeviceProcAddr: library.find(`${name}GetDeviceProcAddr`) || library.find("vkGetDeviceProcAddr"),
  };
}
