import { words } from "../api/strings.ts";
import { GL_EXTENSIONS } from "../gen/gl_constants_gen.ts";
import { type EglRequirement, row } from "./requirement.ts";
import type { Session } from "./session.ts";

/** What a driver must have, and what for. */
const MANDATORY: readonly (readonly [name: string, purpose: string])[] = [
  ["EGL_KHR_wait_sync", "the GPU waits for fences"],
  ["EGL_ANDROID_image_native_buffer", "buffers of gralloc become textures"],
  ["EGL_ANDROID_recordable", "video encoders read surfaces"],
  ["EGL_ANDROID_framebuffer_target", "composer 1.1 and newer shows surfaces"],
];
const RECOMMENDED: readonly (readonly [name: string, purpose: string])[] = [
  ["EGL_ANDROID_blob_cache", "compiled shaders are kept"],
  ["EGL_KHR_fence_sync", "an application waits for the GPU"],
  ["EGL_ANDROID_native_fence_sync", "fences go between drivers as file descriptors"],
];
/** EGL_RECORDABLE_ANDROID and EGL_FRAMEBUFFER_TARGET_ANDROID */
const ATTRIBUTES: Readonly<Record<string, number>> = {
  EGL_ANDROID_recordable: 0x3142,
  EGL_ANDROID_framebuffer_target: 0x3147,
};
const EXTERNAL = "GL_OES_EGL_image_external";

/** GL5 and GL6: the extensions that must and should be there. */
export function extensionRows(session: Session): EglRequirement[] {
  return [
    ...MANDATORY.map(([name, purpose]) => displayRow(session, "GL5", `${name} is mandatory: ${purpose}.`, name)),
    externalRow(session),
    ...RECOMMENDED.map(([name, purpose]) =>
      displayRow(session, "GL6", `${name} is strongly recommended: ${purpose}.`, name)
    ),
  ];
}

function displayRow(session: Session, id: "GL5" | "GL6", requirement: string, name: string): EglRequirement {
  const own = session.owner(name);
  if (own) {
    const whose = own === "driver" ? "the driver's own" : "provided by this loader, as the driver lacks it";
    const shown = session.shown.has(name) ? "" : ", and hidden from applications";
    return row(id, requirement, "pass", `${whose}${shown}${configurations(session, name)}`, { own });
  }
  const advice = id === "GL5" ? "the driver must implement it for Android" : "the driver should implement it";
  const lacks = "neither the driver has it nor does this loader provide it";
  return row(id, requirement, id === "GL5" ? "fail" : "report", lacks, { advice });
}

/** How many configurations have what an extension is about, if it is about them. */
function configurations({ egl, display }: Session, name: string): string {
  const attribute = ATTRIBUTES[name];
  if (attribute === undefined) return "";
  const all = egl.eglGetConfigs(display);
  const having = all.filter((config) => egl.eglGetConfigAttrib(display, config, attribute) === 1);
  return `; ${having.length} of ${all.length} configurations have it`;
}

/** Mandatory for contexts of both kinds. */
function externalRow(session: Session): EglRequirement {
  const requirement = `${EXTERNAL} is mandatory: buffers of any format become textures.`;
  const { gl } = session.egl, lacking: string[] = [];
  for (const version of [[1, 1], [2, 0]] as const) {
    const name = `OpenGL ES ${version.join(".")}`;
    try {
      const has = session.within(version, () => words(gl.glGetString(GL_EXTENSIONS)).includes(EXTERNAL));
      if (!has) lacking.push(name);
    } catch (error) {
      lacking.push(`${name} (${(error as Error).message})`);
    }
  }
  if (lacking.length === 0) {
    return row("GL5", requirement, "pass", "contexts of OpenGL ES 1.1 and 2.0 have it", { own: "driver" });
  }
  return row("GL5", requirement, "fail", `missing in ${lacking.join(", ")}`, {
    advice: "the driver must implement it for Android",
  });
}
