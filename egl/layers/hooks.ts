import type { ForeignThreadPolicy } from "../../loader/layer.ts";
import { cstring, readCString } from "../../ffi/cstring.ts";
import { arena, bytesAt } from "../../ffi/arena.ts";
import type { RawCommand } from "../api/state.ts";
import { commandObject } from "../api/command_object.ts";
import { hooked } from "./code.ts";
import { allCommands, commandNamed } from "./commands.ts";
import type { AnyGlesHook, GlesCommands, GlesLayer, GlesLayerContext } from "./gles_layer.ts";

/** See {@linkcode GlesLayerContext.write}. */
function write(value: ArrayBufferView | string): bigint {
  if (typeof value === "string") return arena().place(cstring(value));
  if (ArrayBuffer.isView(value)) return arena().place(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  throw new TypeError(`Cannot write ${Deno.inspect(value)}: give bytes, such as a Uint8Array, or a text`);
}

/** A TypeScript layer in one chain: its hooks, and the `this` of the hooks. */
export class LayerInUse {
  /** The layer. */
  readonly layer: GlesLayer;
  readonly #context: GlesLayerContext;
  readonly #hooks = new Map<string, AnyGlesHook | undefined>();

  /** Prepares a layer. `below` finds the commands below the layer. */
  constructor(layer: GlesLayer, below: (name: string) => RawCommand | undefined) {
    this.layer = layer;
    this.#context = {
      below: commandObject<GlesCommands>(below).object,
      read: (address, size) => bytesAt(address, size),
      readString: (address, length) => readCString(address, length),
      write,
    };
  }

  /** The commands for which the layer has hooks. With `anyCommand`, the layer is asked about every command. */
  names(): string[] {
    const names = this.layer.anyCommand ? allCommands() : Object.keys(this.layer.commands ?? {});
    return names.filter((name) => this.hook(name));
  }

  /** The layer's hook for a command, if it has one. */
  hook(name: string): AnyGlesHook | undefined {
    if (this.#hooks.has(name)) return this.#hooks.get(name);
    const { commands, anyCommand } = this.layer, command = name as keyof GlesCommands;
    const own = commands && Object.hasOwn(commands, name) ? commands[command] as AnyGlesHook : undefined;
    const hook = own ?? (commandNamed(name) && anyCommand?.(command, this.#context));
    this.#hooks.set(name, hook);
    return hook;
  }

  /** The layer's function for a command, above the function `next`. */
  over(name: string, next: RawCommand): RawCommand {
    const hook = this.hook(name);
    return hook ? hooked(hook, this.#context, next, commandNamed(name)!, this.isHot(name)) : next;
  }

  /** Whether the layer hooks this command by name. */
  isHot(name: string): boolean {
    return Object.hasOwn(this.layer.commands ?? {}, name);
  }

  /** The layer's policy for calls of a command on other threads. */
  policy(name: string): ForeignThreadPolicy {
    const { onForeignThread = "skip" } = this.layer;
    if (typeof onForeignThread === "string") return onForeignThread;
    return onForeignThread[name as keyof GlesCommands] ?? "skip";
  }
}
