/**
 * A layer below which a device has no transform feedback; with `HIDES=stores`, shaders store nothing either.
 *
 * @module
 */
import { defineLayer } from "../../../../../loader/mod.ts";
import { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT } from "../../../../../loader/vk.ts";

const stores = { vertexPipelineStoresAndAtomics: false, fragmentStoresAndAtomics: false };

export default defineLayer({
  name: "VK_LAYER_TEST_hiding",
  physicalDevice: () => ({
    ...Deno.env.get("HIDES") === "stores" && { features: stores },
    chain: [{ sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT, transformFeedback: false }],
  }),
});
