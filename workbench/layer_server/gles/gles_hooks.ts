import { peek64 } from "../../../ffi/machine.ts";
import type { NativeCall } from "../../../loader/command/compile.ts";
import { RECORD } from "../layout.ts";
import type { Hooks, HookSpec } from "../server/layer_kind.ts";
import type { RawCommand } from "../../../egl/api/state.ts";
import { signatureOf } from "../../../egl/command/spec.ts";
import { allCommands, commandNamed } from "../../../egl/layers/commands.ts";
import type { GlesLayer } from "../../../egl/layers/gles_layer.ts";
import { LayerInUse } from "../../../egl/layers/hooks.ts";

/** The layers of a server, each asked for its hooks once. */
export class LayerUses {
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
export class GlesHooks implements Hooks<GlesLayer> {
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
