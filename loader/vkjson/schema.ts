/**
 * The blocks of vkjson for a device, by release of Android. The members of
 * structs come from the registry.
 *
 * @module
 */
import type { AndroidRelease } from "../driver/android/options.ts";
import { nameOfSType } from "../codec/layout/layout.ts";
import { type ExtensionStruct, findExtension } from "../command/registry/extension.ts";

/** A block with one name: the key in vkjson and the struct. */
export type NamedStruct = readonly [key: string, struct: string];

const SINCE_1_1: readonly NamedStruct[] = [
  ["subgroupProperties", "VkPhysicalDeviceSubgroupProperties"],
  ["pointClippingProperties", "VkPhysicalDevicePointClippingProperties"],
  ["multiviewProperties", "VkPhysicalDeviceMultiviewProperties"],
  ["idProperties", "VkPhysicalDeviceIDProperties"],
  ["maintenance3Properties", "VkPhysicalDeviceMaintenance3Properties"],
  ["16bitStorageFeatures", "VkPhysicalDevice16BitStorageFeatures"],
  ["multiviewFeatures", "VkPhysicalDeviceMultiviewFeatures"],
  ["variablePointerFeatures", "VkPhysicalDeviceVariablePointersFeatures"],
  ["protectedMemoryFeatures", "VkPhysicalDeviceProtectedMemoryFeatures"],
  ["samplerYcbcrConversionFeatures", "VkPhysicalDeviceSamplerYcbcrConversionFeatures"],
  ["shaderDrawParameterFeatures", "VkPhysicalDeviceShaderDrawParametersFeatures"],
];
/** Keys that Android 16 renames. */
const RENAMED_IN_16: Readonly<Record<string, string>> = {
  "16bitStorageFeatures": "bit16StorageFeatures",
  variablePointerFeatures: "variablePointersFeatures",
};
/** The extensions whose structs Android 14 and 15 write. */
const EXTENSIONS_IN_14 = ["VK_KHR_driver_properties", "VK_KHR_variable_pointers", "VK_KHR_shader_float16_int8"];
/** The extensions added in Android 16. Android 17 has all. */
const EXTENSIONS_IN_16 = [
  ...EXTENSIONS_IN_14,
  "VK_EXT_custom_border_color",
  "VK_EXT_image_2d_view_of_3d",
  "VK_EXT_index_type_uint8",
  "VK_EXT_line_rasterization",
  "VK_EXT_primitive_topology_list_restart",
  "VK_EXT_primitives_generated_query",
  "VK_EXT_provoking_vertex",
  "VK_EXT_transform_feedback",
  "VK_EXT_vertex_attribute_divisor",
  "VK_IMG_relaxed_line_rasterization",
  "VK_KHR_8bit_storage",
  "VK_KHR_index_type_uint8",
  "VK_KHR_line_rasterization",
  "VK_KHR_shader_float_controls",
  "VK_KHR_shader_integer_dot_product",
  "VK_KHR_shader_subgroup_extended_types",
  "VK_KHR_shader_subgroup_uniform_control_flow",
  "VK_KHR_vertex_attribute_divisor",
];

/**
 * The blocks that a release of Android writes for a device. Without a release:
 * the names of Android 14, and all later blocks.
 */
export class Schema {
  readonly #release: AndroidRelease | undefined;

  /** Selects one release, or everything. */
  constructor(release: AndroidRelease | undefined) {
    this.#release = release;
  }

  /** The structs of Vulkan 1.1, each a block of its own. */
  get since11(): NamedStruct[] {
    const renamed = this.#release !== undefined && this.#release >= 16;
    return SINCE_1_1.map(([key, struct]) => [renamed ? RENAMED_IN_16[key] ?? key : key, struct]);
  }

  /**
   * The versions above 1.0 whose properties and features have a block of their
   * own. `core12` has those of 1.2, from a device of 1.2 on.
   */
  get cores(): { minor: number; from: number }[] {
    const cores = [{ minor: 11, from: 2 }, { minor: 12, from: 2 }, { minor: 13, from: 3 }, { minor: 14, from: 4 }];
    return this.#isOld ? cores.filter(({ minor }) => minor === 12 || minor === 13) : cores;
  }

  /** Returns the structs of an extension, by their names in vkjson; none for an extension without a block. */
  structsOf(extension: string): NamedStruct[] {
    if (this.#isOld && !EXTENSIONS_IN_14.includes(extension)) return [];
    if (this.#release === 16 && !EXTENSIONS_IN_16.includes(extension)) return [];
    const structs = findExtension(extension)?.structs ?? [];
    return structs.filter(({ name }) => this.#has(extension, name))
      .map((each) => [keyOf(each), nameOfSType(each.sType)!]);
  }

  /** Before Android 16, only one spelling of each was written, and only features. */
  #has(extension: string, name: string): boolean {
    if (extension === "VK_KHR_driver_properties") return true;
    if (this.#release === 16 && extension !== "VK_KHR_shader_float_controls") return name.includes("Features");
    if (!this.#isOld) return true;
    return !["VkPhysicalDeviceFloat16Int8FeaturesKHR", "VkPhysicalDeviceVariablePointersFeaturesKHR"].includes(name);
  }

  get #isOld(): boolean {
    return this.#release !== undefined && this.#release < 16;
  }
}

function keyOf({ name }: ExtensionStruct): string {
  const short = name.replace("VkPhysicalDevice", "");
  return short === "8BitStorageFeaturesKHR" ? "bit8StorageFeaturesKHR" : short[0].toLowerCase() + short.slice(1);
}
