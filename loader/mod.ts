/**
 * Vulkan: any driver, any layers, from TypeScript.
 *
 * {@linkcode loadVulkan} opens a driver. The commands are methods, with their C
 * names, of the object that is their first parameter. Structs are object
 * literals with C member names, counts follow from arrays, outputs are
 * returned, and failures throw {@linkcode VulkanError}.
 *
 * Needs `--allow-ffi`. `"auto"` also reads manifests (`--allow-read`) and
 * environment variables (`--allow-env`), and skips those that it may not read.
 * A path-scoped `--allow-ffi=…` is not enough: calls through addresses need the
 * unscoped permission.
 *
 * @example A layer above a driver
 * ```ts ignore
 * import { defineLayer, loadVulkan } from "@pumice/gfx/loader";
 *
 * let submits = 0;
 * const counter = defineLayer({
 *   name: "VK_LAYER_EXAMPLE_counter",
 *   commands: {
 *     vkQueueSubmit(next, queue, submitCount, pSubmits, fence) {
 *       submits++;
 *       return next(queue, submitCount, pSubmits, fence);
 *     },
 *   },
 * });
 * using vulkan = loadVulkan({ layers: [counter] });
 * using instance = vulkan.vkCreateInstance({});
 * ```
 *
 * @module
 */
export type { DebugLabel, DebugMessage, DebugObject } from "./api/debug_message.ts";
export {
  createDebugMessenger,
  type DebugMessageHandler,
  type DebugMessenger,
  type DebugMessengerOptions,
} from "./api/debug_messenger.ts";
export { loadVulkan } from "./api/load_vulkan.ts";
export { explainText } from "./driver/report/finding.ts";
export { requireDriver } from "./api/load_vulkan.ts";
export { DriverError, type DriverErrorCode, VulkanError } from "./error.ts";
export { GraphicsError, type GraphicsErrorParts } from "../ffi/error.ts";
export { defineLayer } from "./layers/define/define_layer.ts";
export type * from "./public_types.ts";
