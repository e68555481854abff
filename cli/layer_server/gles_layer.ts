import type { GlesLayer } from "../../egl/layers/gles_layer.ts";
import type { Layer } from "../../loader/layer.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { isModule, profileReport, written } from "../layers/presets.ts";
import { openLayer, type ScriptLayer } from "../layers/script_layer.ts";

type Layers = typeof import("../../workbench/gles_layers.ts");

/** How the layers of `@pumice/gfx/gles-layers` are made, by the names that `--layer` takes with `--gles`. */
const PRESETS: Readonly<Record<string, (layers: Layers, file: string, say: (text: string) => void) => ScriptLayer>> = {
  profile: ({ glesApiProfile }) => {
    const profile = glesApiProfile();
    return { ...made(profile.layer), report: (isFull = false) => profileReport(profile.text, isFull) };
  },
  errors: ({ glesErrors }, _, say) => {
    const { layer } = glesErrors({ report: ({ command, codeName }) => say(`${command} caused ${codeName}`) });
    return made(layer);
  },
  trace: ({ glesApiTrace }, path) => {
    const trace = glesApiTrace({ path });
    return written(trace as unknown as Parameters<typeof written>[0], path);
  },
};

/** Opens the layer for OpenGL ES that `--layer` names: `profile`, `errors`, `trace:FILE` or a module. */
export async function openGlesLayer(name: string, say: (text: string) => void): Promise<ScriptLayer> {
  if (isModule(name)) return await openLayer(name, say);
  const [, short = "", colon = "", file = ""] = /^(\w+)(:?)(.*)$/.exec(name) ?? [];
  const open = Object.hasOwn(PRESETS, short) ? PRESETS[short] : undefined;
  if (open && (short === "trace") === (file !== "") && (colon === "") === (file === "")) {
    return open(await import("../../workbench/gles_layers.ts"), file, say);
  }
  throw new WrongUse(`--layer=${name}: with --gles, give profile, errors, trace:FILE or a module`);
}

/** The layer of a {@linkcode ScriptLayer} that stands above OpenGL ES: `--gles` says so, and its file knows no types. */
export function glesLayerOf(layer: ScriptLayer): GlesLayer {
  return layer.current() as unknown as GlesLayer;
}

/** A layer for OpenGL ES where the command line keeps those for Vulkan: see {@linkcode glesLayerOf}. */
function made(layer: GlesLayer): ScriptLayer {
  return { current: () => layer as unknown as Layer };
}
