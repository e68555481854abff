import { anglePaths, swiftshaderPath } from "../../tools/setup/parts.ts";

/**
 * ANGLE with a Vulkan driver beside it, which it takes by one name alone: the
 * set-up puts it there, earlier ones did not. `undefined` without ANGLE.
 */
export function angleOnSwiftshader(): { egl: string; gles: string } | undefined {
  const angle = anglePaths(), driver = swiftshaderPath();
  if (!angle || driver === undefined) return undefined;
  const link = `${angle.egl.slice(0, angle.egl.lastIndexOf("/"))}/libvulkan.so.1`;
  try {
    Deno.symlinkSync(driver, link);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  return angle;
}
