/** Every hand-kept list of the generator, for changes to the generated code. */

/** The modules that types and constants are split into, in the order in which a shared name picks its home. */
export const GROUPS = ["core", "khr", "ext", "vendor", "video", "platform"] as const;

/** Extensions are listed in these groups by author; every other author is "vendor". */
export const AUTHOR_GROUPS: ReadonlyMap<string, Group> = new Map([["KHR", "khr"], ["EXT", "ext"]]);

/** C types with a size of their own: how many bytes, and the code that the tables use. */
export const SCALARS: ReadonlyMap<string, readonly [size: number, code: string]> = new Map([
  // The C language.
  ["char", [1, "i8"]],
  ["int8_t", [1, "i8"]],
  ["uint8_t", [1, "u8"]],
  ["int16_t", [2, "i16"]],
  ["uint16_t", [2, "u16"]],
  ["int32_t", [4, "i32"]],
  ["int", [4, "i32"]],
  ["uint32_t", [4, "u32"]],
  ["int64_t", [8, "i64"]],
  ["uint64_t", [8, "u64"]],
  ["size_t", [8, "usize"]],
  ["float", [4, "f32"]],
  ["double", [8, "f64"]],
  // Vulkan.
  ["VkBool32", [4, "bool"]],
  // X11 and XCB.
  ["Window", [8, "u64"]],
  ["VisualID", [8, "u64"]],
  ["RROutput", [8, "u64"]],
  ["xcb_window_t", [4, "u32"]],
  ["xcb_visualid_t", [4, "u32"]],
  // Windows, Fuchsia, Stadia.
  ["DWORD", [4, "u32"]],
  ["zx_handle_t", [4, "u32"]],
  ["GgpStreamDescriptor", [4, "u32"]],
  ["GgpFrameToken", [8, "u64"]],
]);

/** Platform types that are pointers behind a typedef the registry does not show. */
export const POINTER_TYPES: ReadonlySet<string> = new Set([
  // Windows.
  "HANDLE",
  "HINSTANCE",
  "HWND",
  "HMONITOR",
  "LPCWSTR",
  // Android.
  "buffer_handle_t",
  // NVIDIA SCI.
  "NvSciSyncAttrList",
  "NvSciSyncObj",
  "NvSciSyncFence",
  "NvSciBufAttrList",
  "NvSciBufObj",
]);

/**
 * Structs whose functions a caller must give, although the registry only says
 * what the functions must do: drivers call them without looking. The loader
 * itself answers for other structs whose function is missing.
 */
export const WITH_FUNCTIONS: ReadonlySet<string> = new Set(["VkAllocationCallbacks"]);

/** Parameters that the registry declares as non-const pointers although the driver only reads through them. */
export const READ_ONLY_PARAMETERS: ReadonlySet<string> = new Set(["vkGetExternalComputeQueueDataNV.params"]);

/** C parameter names that JavaScript reserves, and what the generated types call them. */
export const RESERVED_NAMES: ReadonlyMap<string, string> = new Map([["function", "function_"]]);

/** Constants that read better as JavaScript values of another type. */
export const SPECIAL_CONSTANTS: ReadonlyMap<string, string> = new Map([
  ["VK_TRUE", "true"],
  ["VK_FALSE", "false"],
  ["VK_NULL_HANDLE", "null"],
]);

/** Commands that work before an instance exists: they are called without a dispatch table. */
export const GLOBAL_COMMANDS: ReadonlySet<string> = new Set([
  "vkCreateInstance",
  "vkEnumerateInstanceVersion",
  "vkEnumerateInstanceExtensionProperties",
  "vkEnumerateInstanceLayerProperties",
]);

/** The handles that are objects in TypeScript, with their commands as methods; all others are plain values. */
export const OBJECT_HANDLES: readonly string[] = [
  "VkInstance",
  "VkPhysicalDevice",
  "VkDevice",
  "VkQueue",
  "VkCommandBuffer",
];

/** The dispatchable handles whose commands live in the instance's dispatch table; all others use the device's. */
export const INSTANCE_HANDLES: ReadonlySet<string> = new Set(["VkInstance", "VkPhysicalDevice"]);

/** One of {@linkcode GROUPS}. */
export type Group = typeof GROUPS[number];

/** The beginning of the names that newer registries give to parts of a core version. */
export const CORE_VERSION_PARTS = /^VK_(BASE|COMPUTE|GRAPHICS)_VERSION_/;
