import { failed, reported } from "../../loader/requirements/requirement.ts";
import type { Outcome } from "../../loader/requirements/verdict.ts";
import { words } from "../api/strings.ts";
import type { EGLConfig, EGLSync } from "../command/types.ts";
import { EglError } from "../error.ts";
import {
  EGL_CONDITION_SATISFIED,
  EGL_FRAMEBUFFER_TARGET_ANDROID,
  EGL_RECORDABLE_ANDROID,
  EGL_SYNC_FENCE,
  EGL_SYNC_NATIVE_FENCE_ANDROID,
} from "../gen/egl_constants_gen.js";
import { GL_COLOR_BUFFER_BIT, GL_EXTENSIONS } from "../gen/gl_constants_gen.js";
import { type EglRule, GUIDE, ofDriver } from "./requirement.ts";
import type { Session } from "./session.ts";
import { NativeFence } from "../../wsi/fence/native_fence.ts";

/** EGL_SYNC_FLUSH_COMMANDS_BIT */
const FLUSH = 1;
/** A time that a small frame never takes, in nanoseconds and in milliseconds. */
const LONG = 5_000_000_000n, LONG_MS = 5000;

/** A test of each extension's sync behind a frame: returns what is wrong; `""` for nothing. */
const TRIALS: Readonly<Record<string, readonly [type: number, work: (session: Session, sync: EGLSync) => string]>> = {
  EGL_KHR_fence_sync: [EGL_SYNC_FENCE, ({ egl, display }, sync) => {
    const answer = egl.eglClientWaitSyncKHR(display, sync, FLUSH, LONG);
    return answer === EGL_CONDITION_SATISFIED ? "" : `eglClientWaitSyncKHR() answers 0x${(answer >>> 0).toString(16)}`;
  }],
  EGL_KHR_wait_sync: [EGL_SYNC_FENCE, ({ egl, display }, sync) => {
    const answer = egl.eglWaitSyncKHR(display, sync, 0);
    return answer === 1 ? "" : `eglWaitSyncKHR() answers ${answer}`;
  }],
  EGL_ANDROID_native_fence_sync: [EGL_SYNC_NATIVE_FENCE_ANDROID, ({ egl, display }, sync) => {
    egl.gl.glFlush();
    using fence = NativeFence.adopt(egl.eglDupNativeFenceFDANDROID(display, sync));
    return fence.wait(LONG_MS) ? "" : "its fence does not signal behind what was drawn";
  }],
};

/** Returns the fault of an extension for syncs in use; `""` for none, and for other extensions. */
function wrongSync(session: Session, extension: string): string {
  const trial = TRIALS[extension];
  if (!trial) return "";
  const [type, work] = trial, { egl, display } = session;
  try {
    return session.within([2, 0], () => {
      egl.gl.glClear(GL_COLOR_BUFFER_BIT);
      const sync = egl.eglCreateSyncKHR(display, type, null);
      try {
        return work(session, sync);
      } finally {
        egl.eglDestroySyncKHR(display, sync);
      }
    });
  } catch (error) {
    if (error instanceof EglError || error instanceof RangeError) return error.message;
    throw error;
  }
}

/** The extensions that a driver must have, and their purposes. */
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
/** The attribute of configurations that each extension adds. */
const ATTRIBUTES: Readonly<Record<string, number>> = {
  EGL_ANDROID_recordable: EGL_RECORDABLE_ANDROID,
  EGL_ANDROID_framebuffer_target: EGL_FRAMEBUFFER_TARGET_ANDROID,
};
const EXTERNAL = "GL_OES_EGL_image_external";
const CTS = "CTS android.opengl.cts.OpenGlEsVersionTest#testRequiredEglExtensions";
/** The extensions that a CTS test requires, too. */
const TESTED = new Set(["EGL_KHR_wait_sync", "EGL_ANDROID_image_native_buffer"]);

/** GL5 and GL6: mandatory and recommended extensions. */
export const EXTENSION_RULES: readonly EglRule[] = [
  ...MANDATORY.map(([name, purpose]) => displayRule("GL5", name, `is mandatory: ${purpose}.`)),
  {
    id: "GL5",
    rule: `egl.extension.${EXTERNAL}`,
    requirement: `${EXTERNAL} is mandatory: buffers of any format become textures.`,
    source: `${GUIDE}, requirements, where it is called GL_OES_texture_external`,
    advice: "the driver must implement it for Android",
    check: checkExternal,
  },
  ...RECOMMENDED.map(([name, purpose]) => displayRule("GL6", name, `is strongly recommended: ${purpose}.`)),
];

function displayRule(id: "GL5" | "GL6", name: string, words: string): EglRule {
  const isAsked = id === "GL5";
  return {
    id,
    rule: `egl.extension.${name}`,
    requirement: `${name} ${words}`,
    source: `${GUIDE}, requirements${TESTED.has(name) ? `; CDD 7.1.4.1; ${CTS}` : ""}`,
    advice: isAsked ? "the driver must implement it for Android" : "the driver should implement it",
    check: (session) => checkDisplay(session, name, isAsked),
  };
}

function checkDisplay(session: Session, name: string, isAsked: boolean): Outcome {
  const own = session.owner(name), configurations = having(session, name);
  const wrong = own ? inVain(session, name, configurations) : "neither the driver nor this loader provides it";
  if (own && wrong === "") return { status: "pass", found: ownership(session, name, own, configurations), own };
  return isAsked || own ? failed(wrong) : reported(wrong);
}

/** Returns why a listed extension does not work; `""` if it does. */
function inVain(session: Session, name: string, configurations?: EGLConfig[]): string {
  if (configurations?.length === 0) return "it is named, but no configuration has it";
  const wrong = wrongSync(session, name);
  return wrong && `it is named, but does not work: ${wrong}`;
}

function ownership(session: Session, name: string, own: "driver" | "provided", configurations?: EGLConfig[]): string {
  const whose = own === "driver" ? "the driver's own" : "provided by this loader, as the driver lacks it";
  const shown = session.shown.has(name) ? "" : ", and hidden from applications";
  if (!configurations) return whose + shown;
  const all = session.egl.eglGetConfigs(session.display).length;
  return `${whose}${shown}; ${configurations.length} of ${all} configurations have it`;
}

/** The configurations that have the attribute of an extension; `undefined` for an extension without one. */
function having({ egl, display }: Session, name: string): EGLConfig[] | undefined {
  const attribute = ATTRIBUTES[name];
  if (attribute === undefined) return undefined;
  return egl.eglGetConfigs(display).filter((config) => valueOf(egl, display, config, attribute) === 1);
}

/** The value of an attribute; 0 for an attribute that the driver does not know. */
function valueOf(egl: Session["egl"], display: Session["display"], config: EGLConfig, attribute: number): number {
  try {
    return egl.eglGetConfigAttrib(display, config, attribute);
  } catch (error) {
    if (error instanceof EglError) return 0;
    throw error;
  }
}

/** Checks GL_OES_EGL_image_external, which is mandatory for contexts of both kinds. */
function checkExternal(session: Session): Outcome {
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
  if (lacking.length === 0) return ofDriver("contexts of OpenGL ES 1.1 and 2.0 have it");
  return failed(`missing in ${lacking.join(", ")}`);
}
