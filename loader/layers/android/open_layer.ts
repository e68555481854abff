import { openLibrary, procOf, RTLD_NOW } from "../../../ffi/library/library.ts";
import { exportedEntryPoints, type NativeLayer } from "../choice/library.ts";
import type { ManifestLayer } from "../choice/declared/manifest.ts";
import { refusal } from "./layer_records.ts";

/**
 * Opens a layer that Android's search found, for one instance. The interface
 * version is not negotiated: the exports are the interface. Throws if the
 * library has no function to create instances.
 */
export function openAndroidLayer(manifest: ManifestLayer, quiet: boolean): NativeLayer {
  const { name, library: path, instanceExtensions, deviceExtensions } = manifest;
  const library = openLibrary(path, quiet, RTLD_NOW), close = () => library.close();
  const found = exportedEntryPoints(library, name);
  const fault = faultOf(found.getInstanceProcAddr);
  if (fault !== undefined) {
    close();
    throw refusal(path, fault);
  }
  return {
    name,
    path,
    manifest,
    ...found,
    getDeviceProcAddr: manifest.android!.onDevices ? found.getDeviceProcAddr : 0n,
    instanceExtensions,
    deviceExtensions,
    close,
    [Symbol.dispose]: close,
  };
}

/** Calls the function with a NULL instance, as the layer above will do. */
function faultOf(getInstanceProcAddr: bigint): string | undefined {
  if (getInstanceProcAddr === 0n) return "it does not export vkGetInstanceProcAddr";
  const create = procOf(getInstanceProcAddr, 0n, "vkCreateInstance");
  return create === 0n ? "its vkGetInstanceProcAddr has no vkCreateInstance" : undefined;
}
