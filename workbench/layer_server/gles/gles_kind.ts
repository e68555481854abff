import { writeWhole } from "../../../ffi/file/whole_file.ts";
import type { LibrarySpec } from "../library/assemble.ts";
import type { Hooks, HookSpec, LayerKind } from "../server/layer_kind.ts";
import { TIMED, type TimedLayer } from "../../../loader/layers/shipped/profile/counters.ts";
import { modeOf } from "../write_files.ts";
import { failureOf as failureOfCommand } from "../../../egl/api/forward.ts";
import { signatureOf } from "../../../egl/command/spec.ts";
import { allCommands, commandNamed } from "../../../egl/layers/commands.ts";
import type { GlesCommands, GlesLayer } from "../../../egl/layers/gles_layer.ts";
import { GLES_LIBRARY_FILE, libraryVariables, linkNames, systemLibEgl } from "./in_place.ts";
import { peek64 } from "../../../ffi/machine.ts";
import type { NativeCall } from "../../../loader/command/compile.ts";
import { RECORD } from "../layout.ts";
import type { RawCommand } from "../../../egl/api/state.ts";
import { LayerInUse } from "../../../egl/layers/hooks.ts";
import { checkOptions, list, type OptionRules, typed } from "../../../ffi/check_options.ts";
import { serve, SERVE_RULES } from "../serve.ts";
import type { GlesLayerServer, ServeGlesLayersOptions } from "./serve_gles_layers.ts";

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
    late: {},
    waiting: [],
    captured: [],
    capture: () => {},
    gathering: () => undefined,
    spare: () => {},
    mayBeLate: () => undefined,
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

/** The layers of a server, each asked for its hooks once. */
class LayerUses {
  /** A command below a layer; there is none until hooks can run. */
  below: (layer: GlesLayer, name: string) => RawCommand | undefined = () => undefined;
  readonly #uses = new Map<GlesLayer, LayerInUse>();

  /** A layer's hooks. */
  of(layer: GlesLayer): LayerInUse {
    let use = this.#uses.get(layer);
    if (!use) {
      this.#uses.set(
        layer,
        use = new LayerInUse(layer, (name) => commandNamed(name) && this.below(layer, name)),
      );
    }
    return use;
  }
}

/** The hooks of GLES layers for programs elsewhere, with the functions of the program below them. */
class GlesHooks implements Hooks<GlesLayer> {
  readonly #spec: HookSpec<GlesLayer>;
  readonly #names = allCommands();
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #uses: LayerUses;

  /** Composes no hooks yet. */
  constructor(spec: HookSpec<GlesLayer>, uses: LayerUses) {
    this.#spec = spec;
    this.#uses = uses;
    uses.below = (layer, name) => this.#below(layer, name);
    this.#numbers = new Map(this.#names.map((name, number) => [name, number]));
  }

  /** See {@linkcode Hooks.compose}. */
  compose(name: string): RawCommand {
    return this.#composed(name, this.#spec.layers());
  }

  /** GLES layers keep nothing for programs. */
  handOver(): void {}

  #composed(name: string, layers: readonly GlesLayer[]): RawCommand {
    const { pulse } = this.#spec;
    return layers.reduceRight((next, layer) => {
      const own = this.#uses.of(layer).over(name, next);
      return own === next || !pulse ? own : pulse.marked(`${layer.name}, ${name}`, own as NativeCall) as RawCommand;
    }, this.#bottom(name));
  }

  /** A command below a layer, with the layers that are there at each call. */
  #below(layer: GlesLayer, name: string): RawCommand {
    return (...args) => {
      const layers = this.#spec.layers();
      return this.#composed(name, layers.slice(layers.indexOf(layer) + 1))(...args);
    };
  }

  /** The function below all layers: in the program, on the thread whose call is being answered. */
  #bottom(name: string): RawCommand {
    const signature = signatureOf(commandNamed(name)!);
    return (...args) =>
      this.#spec.request(this.#addressOf(name), signature, args as (number | bigint)[]) as ReturnType<RawCommand>;
  }

  #addressOf(name: string): bigint {
    const { call } = this.#spec.answer();
    if (name === this.#names[call.command]) return call.next;
    return peek64(call.record + BigInt(RECORD.next + 8 * this.#numbers.get(name)!));
  }
}

const RULES: OptionRules<ServeGlesLayersOptions> = {
  layers: list("a list of layers", typed("what defineGlesLayer() returns", "object")),
  ...SERVE_RULES,
};

/** The variable of this process that says where programs find libraries. */
function searchPath(): Record<string, string> {
  const value = Deno.env.get("LD_LIBRARY_PATH");
  return value === undefined ? {} : { LD_LIBRARY_PATH: value };
}

/** Does what {@linkcode serveGlesLayers} says; apart, so that scripts that serve nothing start faster. */
export async function serving(options: ServeGlesLayersOptions): Promise<GlesLayerServer> {
  checkOptions("serveGlesLayers()", options, RULES);
  const server = await serve(glesKind(), options);
  const { folder } = server, library = `${folder}/${GLES_LIBRARY_FILE}`;
  return Object.assign(server, { library, environment: (own = searchPath()) => libraryVariables(folder, own) });
}
