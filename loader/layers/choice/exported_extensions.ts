import { arena } from "../../../ffi/arena.ts";
import { invoke } from "../../../ffi/machine.ts";
import { readExtensionList } from "../../driver/extension_list.ts";
import type { LayerExtension } from "../../layer.ts";
import type { OpenLibrary } from "../../../ffi/quiet_library.ts";

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
  const memory = arena(), mark = memory.mark();
  try {
    const name = firstLayer(library);
    const list = (command: string, signature: string, ...before: bigint[]) => {
      const address = name === 0n ? 0n : library.find(command);
      if (address === 0n) return [];
      const found = readExtensionList((...out) => invoke(address, signature, [...before, name, ...out]) as number);
      return typeof found === "number" ? [] : found;
    };
    return {
      instanceExtensions: list("vkEnumerateInstanceExtensionProperties", "s:qqq"),
      deviceExtensions: list("vkEnumerateDeviceExtensionProperties", "s:qqqq", 0n),
    };
  } finally {
    memory.release(mark);
  }
}

/** Address of the name of the library's first layer; 0n when it does not say. */
function firstLayer(library: OpenLibrary): bigint {
  const enumerate = library.find("vkEnumerateInstanceLayerProperties");
  if (enumerate === 0n) return 0n;
  const memory = arena(), count = memory.alloc(4), out = memory.alloc(LAYER_PROPERTIES);
  memory.view.setUint32(count, 1, true);
  const result = invoke(enumerate, "s:oo", [count, out]) as number;
  return result < 0 || memory.view.getUint32(count, true) === 0 ? 0n : memory.address(out);
}
