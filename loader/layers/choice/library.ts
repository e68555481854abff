import { arena, inFrame } from "../../../ffi/arena.ts";
import { type OpenLibrary, openLibrary, RTLD_NODELETE, RTLD_NOW } from "../../../ffi/library/library.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import type { ChainElement } from "../../chain/element.ts";
import { readExtensionList } from "../../driver/interface/extension_list.ts";
import { DriverError, resultName } from "../../error.ts";
import type { LayerExtension } from "../../layer.ts";
import type { ManifestLayer } from "./declared/manifest.ts";
import { sizeOfVkLayerProperties } from "../../gen/native_gen.ts";

/** A layer loaded from a library. */
export interface NativeLayer extends ChainElement, Disposable {
  /** The library. */
  readonly path: string;
  /** The manifest; absent if only a library was named. */
  readonly manifest?: ManifestLayer;
  /** Closes the library. No instance may use the layer any more. */
  close(): void;
}

/** The data of a layer before it is opened. */
export interface LayerToOpen {
  /** The name. */
  readonly name: string;
  /** The library. */
  readonly library: string;
  /** The manifest; absent if only a library was named. */
  readonly manifest?: ManifestLayer;
  /** Whether nobody named the layer. */
  readonly byItself?: boolean;
  /** Whether none of Deno's operations may be called; see `openLibrary`. */
  readonly quiet?: boolean;
  /** Whether the library stays loaded after it is closed. */
  readonly stays?: boolean;
}

/** VkNegotiateLayerInterface of `vk_layer.h`: its size, its type, and the offsets of its members. */
const NEGOTIATE = { size: 48, structType: 1, version: 16, instance: 24, device: 32, physicalDevice: 40 } as const;
/** The loader-layer interface version of this loader. Layers of version 1 return nothing. */
const INTERFACE_VERSION = 2;
const NEGOTIATION = "vkNegotiateLoaderLayerInterfaceVersion";

/** Opens a native layer from its library. Throws a {@linkcode DriverError} that says what was found and what to do. */
export function openNativeLayer(layer: LayerToOpen): NativeLayer {
  const { name, library: path, manifest, byItself, quiet = false, stays = false } = layer;
  const library = loadLibrary(path, quiet, stays);
  const symbol = (usual: string) => manifest?.functions.get(usual) ?? usual;
  const refuse = (why: string): never => {
    library.close();
    throw new DriverError("unusable", path, `Cannot use "${path}" as a layer: ${why}`);
  };
  const negotiated = negotiate(library, symbol);
  const found = typeof negotiated === "object" ? negotiated : exportedEntryPoints(library, name, symbol);
  if (found.getInstanceProcAddr === 0n) refuse(reasonAfter(negotiated));
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

/** Returns why a layer that negotiated so, and exports no vkGetInstanceProcAddr, cannot be used. */
function reasonAfter(negotiated: LayerEntryPoints | number | undefined): string {
  if (typeof negotiated === "object") return `its ${NEGOTIATION} gives no vkGetInstanceProcAddr: it is broken`;
  if (negotiated === undefined) {
    return `it exports neither ${NEGOTIATION} nor vkGetInstanceProcAddr; name the layer's library or its manifest`;
  }
  return `its ${NEGOTIATION} returns ${resultName(negotiated)}, and it exports no vkGetInstanceProcAddr: ` +
    "it is for another loader";
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

/** The functions with which the element above a layer finds its commands; 0n for missing ones. */
export interface LayerEntryPoints {
  /** Address of the vkGetInstanceProcAddr. */
  readonly getInstanceProcAddr: bigint;
  /** Address of the vkGetDeviceProcAddr. */
  readonly getDeviceProcAddr: bigint;
  /** Address of the vk_layerGetPhysicalDeviceProcAddr. */
  readonly getPhysicalDeviceProcAddr: bigint;
}

/** Asks a layer for its functions. Returns the result by which the layer refuses; `undefined` for an old layer. */
function negotiate(library: OpenLibrary, symbol: (usual: string) => string): LayerEntryPoints | number | undefined {
  const address = library.find(symbol(NEGOTIATION));
  if (address === 0n) return undefined;
  return inFrame((memory) => {
    const info = memory.alloc(NEGOTIATE.size), { view } = memory;
    memory.bytes.fill(0, info, info + NEGOTIATE.size);
    view.setUint32(info, NEGOTIATE.structType, true);
    view.setUint32(info + NEGOTIATE.version, INTERFACE_VERSION, true);
    // VkResult vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *pVersionStruct)
    const result = invokeAddress(address, "s:q", [memory.address(info)]) as number;
    if (result !== 0) return result;
    if (view.getUint32(info + NEGOTIATE.version, true) < INTERFACE_VERSION) return undefined;
    return {
      getInstanceProcAddr: view.getBigUint64(info + NEGOTIATE.instance, true),
      getDeviceProcAddr: view.getBigUint64(info + NEGOTIATE.device, true),
      getPhysicalDeviceProcAddr: view.getBigUint64(info + NEGOTIATE.physicalDevice, true),
    };
  });
}

/**
 * For layers that do not negotiate: exports under the names in their manifest,
 * or with their own prefix, as old layers that share one library have it.
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

/** The extensions that a layer provides. */
interface Brought {
  readonly instanceExtensions: readonly LayerExtension[];
  readonly deviceExtensions: readonly LayerExtension[];
}

/**
 * Returns the extensions of a layer without a manifest, from the library's
 * exports, as Android queries its layers; none without such exports.
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

/** Returns the address of the name of the library's first layer; 0n if it is unknown. */
function firstLayer(library: OpenLibrary): bigint {
  const enumerate = library.find("vkEnumerateInstanceLayerProperties");
  if (enumerate === 0n) return 0n;
  const memory = arena(), count = memory.alloc(4), out = memory.alloc(sizeOfVkLayerProperties);
  memory.view.setUint32(count, 1, true);
  const result = invokeAddress(enumerate, "s:oo", [count, out]) as number;
  return result < 0 || memory.view.getUint32(count, true) === 0 ? 0n : memory.address(out);
}
