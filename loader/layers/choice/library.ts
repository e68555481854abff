import { arena, inFrame } from "../../../ffi/arena.ts";
import { RTLD_NODELETE, RTLD_NOW } from "../../../ffi/library/library.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { type OpenLibrary, openLibrary } from "../../../ffi/library/quiet_library.ts";
import type { ChainElement } from "../../chain/element.ts";
import { readExtensionList } from "../../driver/interface/extension_list.ts";
import { DriverError } from "../../error.ts";
import type { LayerExtension } from "../../layer.ts";
import type { ManifestLayer } from "./declared/manifest.ts";

/** A layer loaded from a library. */
export interface NativeLayer extends ChainElement, Disposable {
  /** The library. */
  readonly path: string;
  /** What its manifest says; absent when only a library was named. */
  readonly manifest?: ManifestLayer;
  /** Closes the library. No instance may use the layer any more. */
  close(): void;
}

/** What is known of a layer that is to be opened. */
export interface LayerToOpen {
  /** The name. */
  readonly name: string;
  /** Its library. */
  readonly library: string;
  /** What its manifest says; absent when only a library was named. */
  readonly manifest?: ManifestLayer;
  /** Whether it is in the chain though nobody named it. */
  readonly byItself?: boolean;
  /** Whether none of Deno's operations may be called; see `openLibrary`. */
  readonly quiet?: boolean;
  /** Whether its library stays loaded when it is closed. */
  readonly stays?: boolean;
}

/** VkNegotiateLayerInterface: its size, its own sType, and where its members are. */
const NEGOTIATE = { size: 48, sType: 1, version: 16, instance: 24, device: 32, physicalDevice: 40 } as const;
/** The loader-layer interface this loader speaks: layers of version 1 hand over nothing. */
const INTERFACE_VERSION = 2;

/** Opens a native layer by its library. Throws a {@linkcode DriverError} that says what was found and what to do. */
export function openNativeLayer(layer: LayerToOpen): NativeLayer {
  const { name, library: path, manifest, byItself, quiet = false, stays = false } = layer;
  const library = loadLibrary(path, quiet, stays);
  const symbol = (usual: string) => manifest?.functions.get(usual) ?? usual;
  const found = negotiate(library, symbol) ?? exportedEntryPoints(library, name, symbol);
  if (found.getInstanceProcAddr === 0n) {
    library.close();
    throw new DriverError(
      "unusable",
      path,
      `Cannot use "${path}" as a layer: it exports neither vkNegotiateLoaderLayerInterfaceVersion nor vkGetInstanceProcAddr; name the layer's library or its manifest`,
    );
  }
  const { instanceExtensions, deviceExtensions } = manifest ?? exportedExtensions(library);
  const close = () => library.close();
  return {
    name,
    path,
    manifest,
    ...found,
    instanceExtensions,
    deviceExtensions,
    byItself,
    close,
    [Symbol.dispose]: close,
  };
}

function loadLibrary(path: string, quiet: boolean, stays: boolean): OpenLibrary {
  try {
    return openLibrary(path, quiet, stays ? RTLD_NOW | RTLD_NODELETE : RTLD_NOW);
  } catch (error) {
    throw new DriverError("unusable", path, `Cannot use "${path}" as a layer: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Where the element above a layer finds its commands; 0n for what it has not. */
export interface LayerEntryPoints {
  /** Address of the vkGetInstanceProcAddr. */
  readonly getInstanceProcAddr: bigint;
  /** Address of the vkGetDeviceProcAddr. */
  readonly getDeviceProcAddr: bigint;
  /** Address of its vk_layerGetPhysicalDeviceProcAddr. */
  readonly getPhysicalDeviceProcAddr: bigint;
}

function negotiate(library: OpenLibrary, symbol: (usual: string) => string): LayerEntryPoints | undefined {
  const address = library.find(symbol("vkNegotiateLoaderLayerInterfaceVersion"));
  if (address === 0n) return undefined;
  return inFrame((memory) => {
    const info = memory.alloc(NEGOTIATE.size), { view } = memory;
    memory.bytes.fill(0, info, info + NEGOTIATE.size);
    view.setUint32(info, NEGOTIATE.sType, true);
    view.setUint32(info + NEGOTIATE.version, INTERFACE_VERSION, true);
    // VkResult vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *pVersionStruct)
    if (invokeAddress(address, "s:q", [memory.address(info)]) !== 0) return undefined;
    if (view.getUint32(info + NEGOTIATE.version, true) < INTERFACE_VERSION) return undefined;
    return {
      getInstanceProcAddr: view.getBigUint64(info + NEGOTIATE.instance, true),
      getDeviceProcAddr: view.getBigUint64(info + NEGOTIATE.device, true),
      getPhysicalDeviceProcAddr: view.getBigUint64(info + NEGOTIATE.physicalDevice, true),
    };
  });
}

/**
 * Layers that do not negotiate: by the names in their manifest, else with their
 * own prefix, as old layers with several in one library have it.
 */
export function exportedEntryPoints(
  library: OpenLibrary,
  name: string,
  symbol: (usual: string) => string = (usual) => usual,
): LayerEntryPoints {
  const find = (usual: string) => {
    const named = symbol(usual), prefixed = named === usual ? library.find(usual.replace(/^vk/, name)) : 0n;
    return prefixed || library.find(named);
  };
  return {
    getInstanceProcAddr: find("vkGetInstanceProcAddr"),
    getDeviceProcAddr: find("vkGetDeviceProcAddr"),
    getPhysicalDeviceProcAddr: 0n,
  };
}

/** Bytes of VkLayerProperties, which begins with the name. */
const LAYER_PROPERTIES = 520;

/** What a layer brings. */
interface Brought {
  readonly instanceExtensions: readonly LayerExtension[];
  readonly deviceExtensions: readonly LayerExtension[];
}

/**
 * The extensions of a layer that has no manifest, by what its library exports
 * for that, as Android asks its layers; none when it exports nothing of the kind.
 */
export function exportedExtensions(library: OpenLibrary): Brought {
  return inFrame(() => {
    const name = firstLayer(library);
    const list = (command: string, signature: string, ...before: bigint[]) => {
      const address = name === 0n ? 0n : library.find(command);
      if (address === 0n) return [];
      const found = readExtensionList((...out) =>
        invokeAddress(address, signature, [...before, name, ...out]) as number
      );
      return typeof found === "number" ? [] : found;
    };
    return {
      instanceExtensions: list("vkEnumerateInstanceExtensionProperties", "s:qqq"),
      deviceExtensions: list("vkEnumerateDeviceExtensionProperties", "s:qqqq", 0n),
    };
  });
}

/** Address of the name of the library's first layer; 0n when it does not say. */
function firstLayer(library: OpenLibrary): bigint {
  const enumerate = library.find("vkEnumerateInstanceLayerProperties");
  if (enumerate === 0n) return 0n;
  const memory = arena(), count = memory.alloc(4), out = memory.alloc(LAYER_PROPERTIES);
  memory.view.setUint32(count, 1, true);
  const result = invokeAddress(enumerate, "s:oo", [count, out]) as number;
  return result < 0 || memory.view.getUint32(count, true) === 0 ? 0n : memory.address(out);
}
