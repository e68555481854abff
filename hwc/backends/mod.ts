/**
 * Composition backends: what draws layers into a buffer.
 *
 * @module
 */
export type { ComposeOptions, CompositionBackend, CompositionReport, CompositionRule, LayerReport } from "./backend.ts";
export type { ComposeLayer } from "./compose_layer.ts";
export {
  createCpuBackend,
  createEglBackend,
  createPixmanBackend,
  createReferenceBackend,
  createThreadedBackend,
  createTsBackend,
  createVulkanBackend,
  type ThreadedOptions,
} from "./create.ts";
export type { EglBackendOptions } from "./egl/device.ts";
export { CompositionError, type CompositionErrorCode } from "./error.ts";
export type { VulkanBackendOptions } from "./vulkan/device.ts";
