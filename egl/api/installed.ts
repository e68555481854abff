/**
 * A loader that `egl.install()` has put in the place of the system's libraries. Native code that opens or links
 * `libEGL.so.1`, `libGLESv2.so.2` or `libGLESv1_CM.so.1` afterwards gets this loader.
 *
 * Commands of OpenGL ES go directly to the driver, or to the first layer, according to the current context. EGL
 * commands run in TypeScript on the thread that opened the loader. On other threads EGL commands are the driver's own,
 * and contexts, errors and current objects there are the driver's, too. Objects that only TypeScript provides, such as
 * windows of `@pumice/gfx/wsi`, are refused by the driver on other threads.
 *
 * An error that a command throws reaches native code as a failure, and `rethrowFault()` throws the error. Code that
 * opens the system's library by its full path gets the system's library.
 */
export interface InstalledEgl extends Disposable {
  /**
   * Removes the loader. Its libraries are unloaded; if native code still holds them, all their commands fail. A second
   * call does nothing. Closing the loader calls `uninstall()`, too.
   */
  uninstall(): void;
  /** Uninstalls the loader at the end of a `using` scope. */
  [Symbol.dispose](): void;
}
