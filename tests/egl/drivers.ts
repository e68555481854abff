import { Library, RTLD_NODELETE, RTLD_NOW } from "../../ffi/library/library.ts";
import { systemLibrary } from "../../tools/setup/files.ts";
import { anglePaths, nvidiaEglManifest, swiftshaderPath } from "../../tools/setup/parts.ts";
import { findEglDriver } from "../../egl/driver/find.ts";
import { openLibraries } from "../../egl/driver/library_set.ts";
import type { UsableDriver } from "../../egl/api/options.ts";

/** A driver that tests run on. */
export interface TestDriver {
  /** For the tests' names. */
  readonly name: string;
  /** The part that `needs()` is told is missing. */
  readonly part: string;
  /** Whether it is there. */
  readonly found: boolean;
  /** The newest OpenGL ES 2 and later it has. */
  readonly newest: readonly [major: number, minor: number];
  /** Opens it. */
  open(): UsableDriver;
}

/** Mesa without windows, through the system's libEGL. */
export const mesa: TestDriver = {
  name: "Mesa",
  part: "Mesa's EGL and OpenGL ES (libegl1 libgles1 libgles2)",
  found: ["libEGL.so.1", "libEGL_mesa.so.0", "libGLESv1_CM.so.1", "libGLESv2.so.2"].every(systemLibrary),
  newest: [3, 2],
  open() {
    stay("libEGL.so.1");
    return openLibraries("libEGL.so.1", "libGLESv1_CM.so.1", "libGLESv2.so.2");
  },
};

/** ANGLE on SwiftShader. */
export const angle: TestDriver = {
  name: "ANGLE",
  part: "SwiftShader and ANGLE",
  found: anglePaths() !== undefined,
  newest: [3, 1],
  open() {
    const { egl, gles } = anglePaths()!;
    stay(egl);
    stay(linkVulkan(egl.slice(0, egl.lastIndexOf("/"))));
    return openLibraries(egl, "", gles);
  },
};

/** A GPU's: few machines have it. */
export const nvidia: TestDriver = {
  name: "NVIDIA",
  part: "NVIDIA's EGL and OpenGL ES",
  found: nvidiaEglManifest() !== undefined,
  newest: [3, 2],
  open: () => findEglDriver({ driver: nvidiaEglManifest() }).driver,
};

/**
 * Mesa's own library with no libglvnd between. The library remembers who loaded
 * it last: once it was loaded so, libglvnd's functions for extensions of EGL
 * lead nowhere in this process.
 */
export const mesaAlone: TestDriver = { ...mesa, open: () => findEglDriver({ driver: "libEGL_mesa.so.0" }).driver };

/** Every driver that tests run on. */
export const drivers: readonly TestDriver[] = [mesa, angle];
/** For tests that use extensions of EGL, and a GPU's where there is one. */
export const driversAlone: readonly TestDriver[] = [mesaAlone, angle, ...nvidia.found ? [nvidia] : []];

/** ANGLE takes the Vulkan that lies beside it, by that name alone. */
function linkVulkan(folder: string): string {
  const path = `${folder}/libvulkan.so.1`;
  try {
    Deno.symlinkSync(swiftshaderPath()!, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  return path;
}

const staying = new Set<string>();

/**
 * Keeps a library for the life of the process. libglvnd, ANGLE and the
 * SwiftShader that ANGLE loads and unloads with the display leave thread-local
 * keys behind each time, until there are none: after hundreds of tests.
 */
function stay(path: string): void {
  if (!staying.has(path)) Library.open(path, RTLD_NOW | RTLD_NODELETE).close();
  staying.add(path);
}
