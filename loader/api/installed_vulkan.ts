import type { VkInstance } from "../gen/types_core_gen.ts";

/**
 * A loader in the place of the system's loader, as `vulkan.install()` put it
 * there.
 *
 * Native code calls commands directly in the driver or native layer, except
 * those that TypeScript layers hook. Such a call runs the hooks, which see the
 * same as for a call of a script. Hooks run only on the thread that loaded
 * Vulkan: a call on another thread skips them, unless the layer's
 * `onForeignThread` says otherwise. Creating instances and devices, and listing
 * layers, always needs TypeScript. Another thread then waits until this thread
 * reaches its event loop, which is a deadlock if this thread waits for the
 * other. No other call waits.
 *
 * An error of a hook reaches native code as an error code (or as 0 where there
 * is none). The next command that TypeScript calls throws the error, or
 * `rethrowFault()` does.
 *
 * Code inside Deno, such as its WebGPU, is native code, too. During its calls,
 * hooks must not use Deno's own operations (`Deno.…`, `console.log`,
 * `performance.now`), which would end the process. WebGPU also calls during
 * garbage collection, when no JavaScript can run. Therefore its calls skip the
 * hooks of all commands that destroy, free, unmap, reset or wait, of those that
 * begin and end command buffers, and of vkCmdPipelineBarrier and
 * vkCmdCopyBuffer. Below a native layer the caller is unknown, so those hooks
 * are skipped for every caller. Keep the loader open as long as WebGPU objects
 * are in use.
 *
 * Pointers that native code got from vkGetDeviceProcAddr do not change when
 * layers are attached or detached later; all other pointers do. Hooks of the
 * two GetProcAddr commands are not run for native code. Code that opens the
 * system's library by its full path gets the system's library.
 */
export interface InstalledVulkan extends Disposable {
  /**
   * The loader's current instances, no matter who created them. Those of native
   * code are in the order of their creation.
   */
  instances(): VkInstance[];
  /**
   * Removes the loader: its library is unloaded or, if native code still holds
   * the library, refuses to create instances. Existing instances stay usable
   * until they are destroyed or the loader is closed. A second call does
   * nothing.
   */
  uninstall(): void;
  /** Removes the loader at the end of a `using` scope. */
  [Symbol.dispose](): void;
}
