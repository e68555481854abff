/** The layer's name. */
export const LAYER_NAME = "VK_LAYER_PUMICE_elsewhere";
/** The description of the layer in its manifest. */
export const LAYER_DESCRIPTION = "Pumice: layers written in TypeScript, in another process";
/** The file of the layer's library. Android finds layers by the beginning of the name. */
export const LIBRARY_FILE = "libVkLayer_pumice.so";
/** The file of the manifest. */
export const MANIFEST_FILE = "VkLayer_pumice.json";

/** Returns the manifest of the layer for Linux loaders. */
export function manifest(): string {
  const layer = {
    name: LAYER_NAME,
    type: "GLOBAL",
    library_path: `./${LIBRARY_FILE}`,
    api_version: "1.3.0",
    implementation_version: "1",
    description: LAYER_DESCRIPTION,
    functions: { vkNegotiateLoaderLayerInterfaceVersion: "vkNegotiateLoaderLayerInterfaceVersion" },
  };
  return JSON.stringify({ file_format_version: "1.1.2", layer }, null, 2) + "\n";
}
