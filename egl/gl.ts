/**
 * The constants of OpenGL ES 1.0 to 3.2 and of all its extensions, by their C names.
 *
 * @example What clears
 * ```ts
 * import { GL_COLOR_BUFFER_BIT, GL_DEPTH_BUFFER_BIT } from "@pumice/gfx/gl";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT, 0x4100);
 * ```
 *
 * @module
 */
export * from "./gen/gl_constants_gen.js";
