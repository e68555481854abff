/**
 * A loader in the place of the system's, as `egl.install()` put it there.
 *
 * Native code that opens or links `libEGL.so.1`, `libGLESv2.so.2` or
 * `libGLESv1_CM.so.1` afterwards gets it. Commands of OpenGL ES go straight to
 * the driver, or to the layer before it, by the context that is current.
 * Those of EGL are TypeScript's on the thread that opened the loader, and the
 * driver's own on all others, which have contexts, errors and what is current
 * of their own there. What TypeScript alone can do, such as showing in a window
 * of `@pumice/gfx/wsi`, the driver refuses on other threads.
 *
 * What a command throws reaches native code as a failure, and is thrown by
 * `rethrowFault()`. Code that opens the system's library by its full path gets
 * that one.
 */
export interface InstalledEgl extends Disposable {
  /**
   * Takes the loader away: its libraries are unloaded, or all their commands
   * fail if native code still holds them. A second call does nothing; closing
   * the loader does it, too.
   */
  uninstall(): void;
  /** Takes the loader away at the end of a `using` scope. */
  [Symbol.dispose](): void;
}
