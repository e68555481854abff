/**
 * The words of the program `eglinfo` about a driver's display without windows,
 * taken apart.
 *
 * @module
 */
import { anglePaths, eglinfoPath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { withFolder } from "../../support/temporary.ts";

/** The display's part of what it prints. */
export interface Eglinfo {
  /** By the words before the colon. */
  readonly strings: ReadonlyMap<string, string>;
  /** EGL_EXTENSIONS. */
  readonly extensions: string[];
  /** One for each line of its table, by the names of the attributes as far as it prints them. */
  readonly configs: readonly Readonly<Record<string, number>>[];
}

/** Runs the program on the system's EGL, or on ANGLE in its place. */
export function eglinfo(driver: "Mesa" | "ANGLE"): Eglinfo {
  return withFolder((folder) => {
    if (driver === "ANGLE") standIn(folder);
    const env: Record<string, string> = driver === "ANGLE" ? { LD_LIBRARY_PATH: folder } : {};
    const { stdout } = new Deno.Command(eglinfoPath()!, { env, stderr: "null" }).outputSync();
    const [section] = new TextDecoder().decode(stdout).split("Surfaceless platform:\n").slice(1);
    return parse(section.split("\n\n")[0]);
  });
}

/** Puts ANGLE under the names that programs are linked with, beside the Vulkan it looks for. */
function standIn(folder: string): void {
  const { egl, gles } = anglePaths()!;
  const files = [[egl, "libEGL.so.1"], [gles, "libGLESv2.so"], [swiftshaderPath()!, "libvulkan.so.1"]];
  for (const [path, name] of files) Deno.copyFileSync(path, `${folder}/${name}`);
}

function parse(text: string): Eglinfo {
  const lines = text.split("\n"), strings = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = /^(EGL [\w ]+): (.+)$/.exec(line) ?? [];
    if (name) strings.set(name, value);
  }
  const [extensions] = text.split("EGL extensions string:\n")[1].split("\nConfigurations:");
  return {
    strings,
    extensions: extensions.split(/\s+/).filter((word) => word !== ""),
    configs: lines.filter((line) => /^0x/.test(line)).map(configOf),
  };
}

/** A line of the table: `0x01 32  0 10 10 10  2  0  0  0 0 0x00--      a  y  y  y     pb`. */
const LINE =
  /^(0x\w+)((?: +\d+){8}) +(\d+) +(\d+) 0x(\w+?)(?:--|[a-z]{2}) {3}(.) {2}(.) {2}(.) {2}(.) {2}(.) {2}(.) +(\S*)$/;
/** The meanings of the caveat's letters. */
const CAVEATS: Readonly<Record<string, number>> = { " ": 0x3038, S: 0x3050, U: 0x3051 };
/** Bits of EGL_RENDERABLE_TYPE in the order of the columns. */
const APIS = [8, 1, 4, 2];
const SURFACES: Readonly<Record<string, number>> = { win: 4, pb: 1, pix: 2 };

function configOf(line: string): Record<string, number> {
  const found = LINE.exec(line);
  if (!found) throw new Error(`cannot read the line "${line}"`);
  const [, id, numbers, samples, buffers, visual, caveat, bind, ...rest] = found;
  const [size, level, red, green, blue, alpha, depth, stencil] = numbers.trim().split(/ +/).map(Number);
  return {
    EGL_CONFIG_ID: Number(id),
    EGL_BUFFER_SIZE: size,
    EGL_LEVEL: level,
    EGL_RED_SIZE: red,
    EGL_GREEN_SIZE: green,
    EGL_BLUE_SIZE: blue,
    EGL_ALPHA_SIZE: alpha,
    EGL_DEPTH_SIZE: depth,
    EGL_STENCIL_SIZE: stencil,
    EGL_SAMPLES: Number(samples),
    EGL_SAMPLE_BUFFERS: Number(buffers),
    EGL_NATIVE_VISUAL_ID: parseInt(visual, 16),
    EGL_CONFIG_CAVEAT: CAVEATS[caveat],
    EGL_BIND_TO_TEXTURE_RGBA: Number(bind === "a"),
    EGL_RENDERABLE_TYPE: APIS.reduce((bits, bit, column) => bits | (rest[column] === "y" ? bit : 0), 0),
    EGL_SURFACE_TYPE: rest[4].split(",").reduce((bits, word) => bits | (SURFACES[word] ?? 0), 0),
  };
}
