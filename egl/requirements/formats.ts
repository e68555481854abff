import { failed } from "../../loader/requirements/requirement.ts";
import { fillGray } from "../../wsi/buffer/cpu_access.ts";
import { allocateBuffer } from "../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import type { EGLImage } from "../command/types.ts";
import type { Gl } from "../api/egl.ts";
import * as g from "../gen/gl_constants_gen.js";
import { type EglRule, GUIDE } from "./requirement.ts";
import type { Session } from "./session.ts";
import { EGL_NATIVE_BUFFER_ANDROID } from "../gen/egl_constants_gen.js";
import { FORMAT } from "../../wsi/android_values.ts";

const SIDE = 16;
const USED = USAGE.GPU_TEXTURE | USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
const IMAGES = "EGL_ANDROID_image_native_buffer";
/**
 * Formats of codecs and cameras: first those of all devices, then those of devices that play wide color or record raw
 * images.
 */
const FORMATS: readonly (readonly [name: keyof typeof FORMAT, isMandatory: boolean])[] = [
  ["YV12", true],
  ["YCBCR_420_888", true],
  ["YCBCR_P010", false],
  ["YCBCR_422_I", false],
];
/** The brightness of the gray in the buffers, for the ranges 16 to 235 and 0 to 255. */
const GRAYS = [126, 132] as const;

const VERTEX_SHADER = "attribute vec4 at; void main() { gl_Position = at; }";
const FRAGMENT_SHADER = `#extension GL_OES_EGL_image_external : require
precision mediump float;
uniform samplerExternalOES image;
void main() { gl_FragColor = texture2D(image, vec2(0.5)); }`;

/** GL4: YUV buffers become textures that show the right color. */
export const FORMAT_RULES: readonly EglRule[] = FORMATS.map(([name, isMandatory]) => ({
  id: "GL4",
  rule: `egl.format.${name}`,
  requirement: `Buffers of ${name} can be drawn from, as codecs and cameras fill them.`,
  source: `${GUIDE}, requirements`,
  advice: `the driver needs ${IMAGES} and external textures of this format`,
  check(session) {
    const own = session.owner(IMAGES);
    if (!own) return failed(`there is no ${IMAGES}`);
    const wrong = triedOn(session, FORMAT[name]);
    if (wrong === "") return { status: "pass", found: "a gray buffer was drawn from, and is gray", own };
    return { status: isMandatory ? "fail" : "report", found: wrong, own };
  },
}));

/** Returns the fault that was seen with a format; `""` if there was none. */
function triedOn(session: Session, format: number): string {
  const { egl, display } = session;
  try {
    using buffer = allocateBuffer({ width: SIDE, height: SIDE, format, usage: USED });
    fillGray(buffer);
    const client = (egl.raw.eglGetNativeClientBufferANDROID as (handle: bigint) => bigint)(buffer.handle);
    const image = egl.eglCreateImageKHR(display, 0n, EGL_NATIVE_BUFFER_ANDROID, client, null);
    try {
      return session.within([2, 0], () => drawnFrom(egl.gl, image));
    } finally {
      egl.eglDestroyImageKHR(display, image);
    }
  } catch (error) {
    return (error as Error).message;
  }
}

function drawnFrom(gl: Gl, image: EGLImage): string {
  const program = gl.glCreateProgram();
  for (
    const [type, source] of [[g.GL_VERTEX_SHADER, VERTEX_SHADER], [g.GL_FRAGMENT_SHADER, FRAGMENT_SHADER]] as const
  ) {
    const shader = gl.glCreateShader(type);
    gl.glShaderSource(shader, source);
    gl.glCompileShader(shader);
    gl.glAttachShader(program, shader);
  }
  gl.glBindAttribLocation(program, 0, "at");
  gl.glLinkProgram(program);
  if (!gl.glGetProgramiv(program, g.GL_LINK_STATUS)) return `no external textures: ${gl.glGetProgramInfoLog(program)}`;
  gl.glUseProgram(program);
  gl.glBindTexture(g.GL_TEXTURE_EXTERNAL_OES, gl.glGenTextures(1)[0]);
  for (const filter of [g.GL_TEXTURE_MIN_FILTER, g.GL_TEXTURE_MAG_FILTER]) {
    gl.glTexParameteri(g.GL_TEXTURE_EXTERNAL_OES, filter, g.GL_NEAREST);
  }
  gl.glEGLImageTargetTexture2DOES(g.GL_TEXTURE_EXTERNAL_OES, image as bigint);
  const refused = gl.glGetError();
  if (refused !== g.GL_NO_ERROR) return `glEGLImageTargetTexture2DOES() ended with 0x${refused.toString(16)}`;
  gl.glEnableVertexAttribArray(0);
  gl.glVertexAttribPointer(0, 2, g.GL_FLOAT, false, 0, Float32Array.of(-1, -1, 3, -1, -1, 3));
  gl.glDrawArrays(g.GL_TRIANGLES, 0, 3);
  const [red, green, blue] = gl.glReadPixels(0, 0, 1, 1, g.GL_RGBA, g.GL_UNSIGNED_BYTE);
  const isGray = [red, green, blue].every((each) => each >= GRAYS[0] && each <= GRAYS[1]);
  return isGray ? "" : `gray is drawn as ${[red, green, blue].join()}`;
}
