import type { NativeCall } from "../../loader/command/compile.ts";
import { findCommand } from "../../loader/command/registry/table.ts";
import type { RawCommands } from "../../loader/gen/raw_commands_gen.ts";
import type { Layer } from "../../loader/layer.ts";
import { type ChainView, viewOf } from "../../loader/layers/hooks/chain_view.ts";
import { compose } from "../../loader/layers/hooks/hooks.ts";

/**
 * The commands below a layer, for an instance or device. Unlike a layer's
 * `below()` nothing looks at the arguments: they are called for every frame,
 * with memory of the adaptor's own.
 */
export class Below {
  readonly #layer: Layer;
  readonly #view: ChainView;
  #layers: readonly Layer[];
  #commands: RawCommands;

  /** For the instance or device of a dispatchable handle. Throws a `TypeError` when the layer is not in its chain. */
  constructor(layer: Layer, handle: bigint) {
    const view = viewOf(layer, handle);
    if (!view) throw new TypeError(`${layer.name} is not in the chain of 0x${handle.toString(16)}: give a live handle`);
    this.#layer = layer;
    this.#view = view;
    this.#layers = view.layers();
    this.#commands = this.#compose();
  }

  /** The commands, as the layers below are now. */
  get commands(): RawCommands {
    const layers = this.#view.layers();
    if (layers !== this.#layers) {
      this.#layers = layers;
      this.#commands = this.#compose();
    }
    return this.#commands;
  }

  /**
   * The address of a command below all layers of TypeScript, for threads that
   * can run none; 0n if the command is missing.
   */
  address(name: string): bigint {
    return this.#view.address(findCommand(name)!);
  }

  /** A command is composed when it is first named, and kept. */
  #compose(): RawCommands {
    const rest = this.#layers.slice(this.#layers.indexOf(this.#layer) + 1), view = this.#view;
    const end = new Proxy({}, {
      get(_target, name, receiver) {
        const command = typeof name === "string" ? findCommand(name) : undefined;
        if (!command) return undefined;
        const call: NativeCall = compose(rest, command, view.bottom(command));
        Object.defineProperty(receiver, name, { value: call });
        return call;
      },
    });
    return Object.create(end);
  }
}
