/**
 * The results of the drivers that tests run on, rule by rule: status, whose it
 * is, and the words of the driver that decide it.
 * `deno run -A --import-map=tools/offline_import_map.json tests/egl/requirements/print_table.ts DRIVER`
 * prints such a table of any driver.
 *
 * @module
 */

/** A line: the status, whose it is, and what the driver says. */
export type Expected = readonly [status: string, own: string, found: RegExp];

const GRAY = /^a gray buffer was drawn from, and is gray$/;
const OWN = /^the driver's own$/, PROVIDED = /^provided by this loader, as the driver lacks it/;
const LINUX = /was found by the rules of Linux, or named$/, LOADER = /^the loader's part/;

/** The rows that are the same for all: what this loader provides, and what every driver answers. */
const ALL: Readonly<Record<string, Expected>> = {
  "egl.robust.gles-errors": ["pass", "driver", /^7 wrong calls and a shader of nonsense were answered/],
  "egl.robust.egl-errors": ["pass", "driver", /^3 wrong calls were answered$/],
  "egl.robust.context-loss": ["pass", "driver", /^glGetGraphicsResetStatus.*: not lost$/],
  "egl.contexts.unlimited": ["pass", "driver", /^8 were made at once$/],
  "egl.contexts.memory": ["report", "driver", /^[\d.]+ MiB of this process each, with 24/],
  "egl.format.YV12": ["pass", "provided", GRAY],
  "egl.format.YCBCR_420_888": ["pass", "provided", GRAY],
  "egl.format.YCBCR_P010": ["pass", "provided", GRAY],
  "egl.format.YCBCR_422_I": ["pass", "provided", GRAY],
  "egl.extension.EGL_KHR_wait_sync": ["pass", "driver", OWN],
  "egl.extension.EGL_ANDROID_image_native_buffer": ["pass", "provided", PROVIDED],
  "egl.extension.EGL_ANDROID_framebuffer_target": ["pass", "provided", PROVIDED],
  "egl.extension.GL_OES_EGL_image_external": ["pass", "driver", /^contexts of OpenGL ES 1\.1 and 2\.0 have it$/],
  "egl.extension.EGL_KHR_fence_sync": ["pass", "driver", OWN],
  "egl.extension.EGL_ANDROID_native_fence_sync": ["pass", "provided", PROVIDED],
  "egl.version.1.5": ["pass", "driver", /^EGL 1\.5/],
  "egl.files.folder": ["not-applicable", "driver", LINUX],
  "egl.files.one-binary": ["not-applicable", "driver", LINUX],
  "egl.files.three-binaries": ["not-applicable", "driver", LINUX],
  "egl.layers.offered": ["pass", "provided", /^EGL_ANDROID_GLES_layers among the client extensions$/],
  "egl.layers.intercept": ["pass", "provided", /^a layer saw glGetString\(\) go by, and "OpenGL ES 3/],
  "egl.layers.settings": ["report", "provided", LOADER],
  "egl.layers.off": ["report", "provided", LOADER],
  "egl.layers.property": ["report", "provided", LOADER],
  "egl.cts.gpu-tools": ["not-applicable", "", /^needs a host and a device/],
};

/** By the driver's name, by rule. */
export const EXPECTED: Readonly<Record<string, Readonly<Record<string, Expected>>>> = {
  Mesa: {
    ...ALL,
    "egl.version.driver": ["pass", "driver", /^EGL 1\.5$/],
    "egl.version.gles1": ["pass", "driver", /^OpenGL ES-CM 1\.1 Mesa .* on llvmpipe/],
    "egl.version.gles2": ["pass", "driver", /^OpenGL ES 3\.2 Mesa .* on llvmpipe/],
    "egl.version.gles3": ["report", "driver", /^3\.2: OpenGL ES 3\.2 Mesa/],
    "egl.extension.EGL_ANDROID_recordable": ["pass", "provided", PROVIDED],
    "egl.extension.EGL_ANDROID_blob_cache": ["report", "", /^neither the driver nor this loader provides it/],
  },
  NVIDIA: {
    ...ALL,
    "egl.version.driver": ["pass", "driver", /^EGL 1\.5$/],
    "egl.version.gles1": ["pass", "driver", /^OpenGL ES 1\.1 NVIDIA .* on NVIDIA/],
    "egl.version.gles2": ["pass", "driver", /^OpenGL ES 3\.2 NVIDIA .* on NVIDIA/],
    "egl.version.gles3": ["report", "driver", /^3\.2: OpenGL ES 3\.2 NVIDIA/],
    "egl.extension.EGL_ANDROID_recordable": ["pass", "provided", PROVIDED],
    "egl.extension.EGL_ANDROID_blob_cache": ["report", "", /^neither the driver nor this loader provides it/],
  },
  ANGLE: {
    ...ALL,
    "egl.version.driver": ["pass", "driver", /^EGL 1\.5 \(ANGLE/],
    "egl.version.gles1": ["pass", "driver", /^OpenGL ES 1\.1 \(ANGLE.*SwiftShader/],
    "egl.version.gles2": ["pass", "driver", /^OpenGL ES 3\.1 \(ANGLE.*SwiftShader/],
    "egl.version.gles3": ["report", "driver", /^3\.1: OpenGL ES 3\.1 \(ANGLE/],
    "egl.extension.EGL_ANDROID_recordable": ["pass", "driver", /^the driver's own; \d+ of \d+ configurations have it$/],
    "egl.extension.EGL_ANDROID_blob_cache": ["pass", "driver", /^the driver's own, and hidden from applications$/],
  },
};
