import {
  CACHE,
  gfxreconstructManifest,
  lavapipePath,
  mangohudManifest,
  mesaOverlayManifest,
  renderdocManifest,
  swiftshaderPath,
  validationManifest,
  vkbasaltManifest,
  xvfbPath,
} from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { type Outcome, runProgram } from "../../../support/subprocess.ts";

/** The native layers: how they are named in `layers`, and the part of the machine they come with. */
export const LAYERS = {
  validation: { layer: "VK_LAYER_KHRONOS_validation", ...needs("Khronos validation layer", validationManifest()) },
  overlay: { layer: "VK_LAYER_MESA_overlay", ...needs("Mesa's layers", mesaOverlayManifest()) },
  device_select: { layer: "VK_LAYER_MESA_device_select", ...needs("Mesa's layers", mesaOverlayManifest()) },
  GFXReconstruct: { layer: "VK_LAYER_LUNARG_gfxreconstruct", ...needs("GFXReconstruct", gfxreconstructManifest()) },
  vkBasalt: { layer: "VK_LAYER_VKBASALT_post_processing", ...needs("vkBasalt", vkbasaltManifest()) },
  MangoHud: { layer: "VK_LAYER_MANGOHUD_overlay", ...needs("MangoHud", mangohudManifest()) },
  RenderDoc: { layer: "VK_LAYER_RENDERDOC_Capture", ...needs("RenderDoc", renderdocManifest()) },
} as const;

/** The drivers under them. */
export const DRIVERS = {
  lavapipe: { driver: lavapipePath()!, ...needs("Mesa lavapipe", lavapipePath()) },
  SwiftShader: { driver: swiftshaderPath()!, ...needs("SwiftShader", swiftshaderPath()) },
} as const;

/** The places of the tests' TypeScript layer. */
export const PLACES = ["above", "below"] as const;

/** Whether tests that present are left out: they need a window on lavapipe. */
export const NEEDS_WINDOW: boolean = DRIVERS.lavapipe.ignore || needs("X server without a screen", xvfbPath()).ignore;

/**
 * Runs a program of `programs/` for a while. A layer may end its process or
 * wait for ever, so each has one of its own; it finds no settings of the user
 * and leaves what it writes unasked in `folder`.
 */
export function runLayered(
  program: string,
  args: readonly string[],
  folder: string,
  env: Record<string, string> = {},
): Outcome {
  const start = () =>
    runProgram(`tests/loader/layers/real/programs/${program}.ts`, args, {
      seconds: 120,
      env: { XDG_CONFIG_HOME: folder, RENDERDOC_TEMP: folder, GFXRECON_CAPTURE_FILE: `${folder}/unasked.gfxr`, ...env },
    });
  return /renderdoc/i.test([program, ...args, ...Object.keys(env)].join()) ? aloneWithRenderDoc(start) : start();
}

/**
 * Does something while no other test runs RenderDoc, whose programs have their time limits. It empties the file of
 * compiled shaders in this user's home before it writes them again; who reads them meanwhile gives a driver zeros for
 * SPIR-V, of which SwiftShader and lavapipe die. The folder is that of the user's entry, whatever HOME says.
 */
export function aloneWithRenderDoc<Result>(work: () => Result): Result {
  using file = Deno.openSync(`${CACHE}/renderdoc.lock`, { create: true, write: true });
  file.lockSync(true);
  return work(); // closing the file ends the lock
}

/** The last line a program printed, as JSON. Throws what else it printed if it failed. */
export function reported<T>({ code, stdout, output }: Outcome): T {
  if (code !== 0) throw new Error(`the program ended with ${code}: ${output}`);
  return JSON.parse(stdout.trim().split("\n").at(-1)!);
}
