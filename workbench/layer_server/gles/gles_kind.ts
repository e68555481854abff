import { writeWhole } from "../../../ffi/file/whole_file.ts";
import type { LibrarySpec } from "../library/assemble.ts";
import type { LayerKind } from "../server/layer_kind.ts";
import { TIMED, type TimedLayer } from "../../../loader/layers/shipped/profile/counters.ts";
import { modeOf } from "../write_files.ts";
import { failureOf as failureOfCommand } from "../../../egl/api/forward.ts";
import { signatureOf } from "../../../egl/command/spec.ts";
import { allCommands, commandNamed } from "../../../egl/layers/commands.ts";
import type { GlesCommands, GlesLayer } from "../../../egl/layers/gles_layer.ts";
import { GlesHooks, LayerUses } from "./gles_hooks.ts";
import { linkNames, systemLibEgl } from "./in_place.ts";
import { GLES_LIBRARY_FILE } from "./library_file.ts";

/** Returns EGL and OpenGL ES as an interface of layers, for one server. */
export function glesKind(): LayerKind<GlesLayer> {
  const uses = new LayerUses(), hookedBy = (layer: GlesLayer) => uses.of(layer).names();
  return {
    names: allCommands,
    always: [],
    requireServable: () => {},
    hookedBy,
    wantedBy: (layer) => hookedBy(layer).filter((name) => isHeard(layer, name)),
    signatureOf: (name) => signatureOf(commandNamed(name)!),
    failureOf,
    listener: (layer, name) =>
      layer.recorded && uses.of(layer).hook(name)
        ? (call) => layer.recorded!({ ...call, command: name as keyof GlesCommands })
        : undefined,
    timer: (layer: GlesLayer & TimedLayer) => layer[TIMED],
    rest: () => undefined,
    watches: () => false,
    planCopies(name) {
      throw new TypeError(`Cannot record ${name} so: of EGL and OpenGL ES, only arguments are recorded; give "record"`);
    },
    hooks: (spec) => new GlesHooks(spec, uses),
    writeFiles: writeGlesLayerFiles,
  };
}

function failureOf(name: string): number | bigint {
  const command = commandNamed(name)!, failure = failureOfCommand(command);
  return signatureOf(command)[0] === "q" ? BigInt(failure) : Number(failure);
}

/** Writes the library to a folder, which is made if it is not there. Returns its path. */
export async function writeGlesLayerFiles(folder: string, spec: LibrarySpec): Promise<string> {
  const { writeGlesLibrary } = await import("./library.ts"), path = `${folder}/${GLES_LIBRARY_FILE}`;
  const libEgl = spec.place && spec.processor === Deno.build.arch ? systemLibEgl() : undefined;
  Deno.mkdirSync(folder, { recursive: true });
  writeWhole(path, await writeGlesLibrary(spec, libEgl), modeOf(spec));
  if (libEgl !== undefined) linkNames(folder);
  return path;
}

/** Every thread of a program is a foreign one, so that only a policy that the layer states can mean "skip". */
function isHeard({ onForeignThread }: GlesLayer, name: string): boolean {
  const policy = typeof onForeignThread === "object" ? onForeignThread[name as keyof GlesCommands] : onForeignThread;
  return policy !== "skip";
}
