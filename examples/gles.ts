/**
 * The same scene with four versions of OpenGL ES: 1.1 has its own light and
 * matrices, 2.0 shaders, 3.0 instances, 3.1 a compute shader.
 *
 * ```sh
 * deno run --allow-ffi --allow-read --allow-write=out '--allow-env=__EGL_*' examples/gles.ts
 * ```
 *
 * out/gles.png shows islands of pumice in the evening sun, the same with each
 * version.
 *
 * Options: `--driver PATH` a library or manifest, such as `libEGL_mesa.so.0`,
 * or `angle` (default: the best of this machine), `--version 1.1|2.0|3.0|3.1`
 * (default 3.0), `--size WIDTHxHEIGHT` (default 960x540), `--out FILE` (default
 * out/gles.png). Exit codes: 0 good, 1 the driver could not be used, 2 wrong
 * options.
 *
 * @module
 */
import { dirname } from "node:path";
import { DriverError } from "@pumice/gfx/loader";
import { EglError, loadEgl } from "@pumice/gfx/egl";
import { encode } from "fast-png";
import { argumentsOf, refuse, sizeOf } from "./arguments.ts";
import { PAINTERS, type Version } from "./gles/painter.ts";
import { drawPicture } from "./gles/picture.ts";

const options = argumentsOf({
  driver: { type: "string", default: "auto" },
  version: { type: "string", default: "3.0" },
  size: { type: "string", default: "960x540" },
  out: { type: "string", default: "out/gles.png" },
});
const size = sizeOf(options.size), version = versionOf(options.version);
try {
  using egl = loadEgl({ driver: options.driver, log: console.error });
  const { drawnBy, ...picture } = drawPicture(egl, version, size);
  Deno.mkdirSync(dirname(options.out), { recursive: true });
  Deno.writeFileSync(options.out, encode({ ...picture, channels: 4 }));
  console.log(`${options.out}: ${size.join("×")}, ${drawnBy} (${egl.driver})`);
} catch (error) {
  if (!(error instanceof DriverError || error instanceof EglError)) throw error;
  console.error(error.message);
  Deno.exitCode = 1;
}

function versionOf(text: string): Version {
  if (Object.hasOwn(PAINTERS, text)) return text as Version;
  return refuse(`--version is "${text}"; write one of ${Object.keys(PAINTERS).join(", ")}`);
}
