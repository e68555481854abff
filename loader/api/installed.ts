import type { VkInstance } from "../gen/types_core_gen.ts";

/**
 * A loader in the place of the system's, as `vulkan.install()` put it there.
 *
 * Native code calls commands straight in the driver, or native layer, except
 * those that TypeScript layers hook: there it runs the hooks, which see what
 * they see of a script's calls. Hooks run on the thread that loaded Vulkan
 * alone: a call from another thread skips them, unless the layer's
 * `onForeignThread` says otherwise. Making instances and devices,
 * and listing layers, is TypeScript's work always: another thread waits with
 * that until this one gets to its event loop, and for ever if this one waits
 * for it. Nothing else waits.
 *
 * What a hook throws reaches native code as an error code (or as 0 where there
 * is none), and is thrown by the next command that TypeScript calls, or by
 * `rethrowFault()`.
 *
 * Code inside Deno, such as its WebGPU, is native code, too. While it calls,
 * hooks must not call anything of Deno's own (`Deno.…`, `console.log`,
 * `performance.now`): that would end the process. It also calls while garbage
 * is collected, when no JavaScript can run; so it skips the hooks of all
 * commands that destroy, free, unmap, reset or wait, of those that begin and
 * end command buffers, and of vkCmdPipelineBarrier and vkCmdCopyBuffer; below a
 * native layer, where nobody can tell who called, whoever calls. Keep the
 * loader open as long as the page's WebGPU objects are in use.
 *
 * Pointers that native code got from vkGetDeviceProcAddr stay as they were when
 * layers are attached or detached later; all others follow. Hooks of the two
 * GetProcAddr commands are not run for native code. Code that opens the
 * system's library by its full path gets that one.
 */
export interface Installed extends Disposable {
  /** The loader's instances there are now, whoever made them; native code's come in the order it made them. */
  instances(): VkInstance[];
  /**
   * Takes the loader away: its library is unloaded, or refuses to make
   * instances if native code still holds it. Instances there are stay usable
   * until they are destroyed or the loader is closed. A second call does
   * nothing.
   */
  uninstall(): void;
  /** Takes the loader away at the end of a `using` scope. */
  [Symbol.dispose](): void;
}
