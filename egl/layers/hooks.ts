import type { ForeignThreadPolicy } from "../../loader/layer.ts";
import { readCString } from "../../ffi/cstring.ts";
import { bytesAt } from "../../ffi/arena.ts";
import type { RawCommand } from "../api/state.ts";
import { commandObject } from "../api/command_object.ts";
import { hooked } from "./code.ts";
import { allCommands, commandNamed } from "./commands.ts";
import type { AnyGlesHook, GlesCommands, GlesLayer, GlesLayerContext } from "./gles_layer.ts";

/** A TypeScript layer in one chain: its hooks, and what they have as `this`. */
export class LayerInUse {
  /** The layer. */
  readonly layer: GlesLayer;
  readonly #context: GlesLayerContext;
  readonly #hooks = new Map<string, AnyGlesHook | undefined>();

  /** `below` finds the commands below it. */
  constructor(layer: GlesLayer, below: (name: string) => RawCommand | undefined) {
    this.layer = layer;
    this.#context = {
      below: commandObject<GlesCommands>(below).object,
      read: (address, size) => bytesAt(address, size),
      readString: (address, length) => readCString(address, length),
    };
  }

  /** The commands it has hooks for. With `anyCommand`, every command must be asked about. */
  names(): string[] {
    const names = this.layer.anyCommand ? allCommands() : Object.keys(this.layer.commands ?? {});
    return names.filter((name) => this.hook(name));
  }

  /** Its hook for a command, if it has one. */
  hook(name: string): AnyGlesHook | undefined {
    if (this.#hooks.has(name)) return this.#hooks.get(name);
    const { commands, anyCommand } = this.layer, command = name as keyof GlesCommands;
    const own = commands && Object.hasOwn(commands, name) ? commands[command] as AnyGlesHook : undefined;
    const hook = own ?? (commandNamed(name) && anyCommand?.(command, this.#context));
    this.#hooks.set(name, hook);
    return hook;
  }

  /** What the layer makes of a command, given what lies below. */
  over(name: string, next: RawCommand): RawCommand {
    const hook = this.hook(name);
    return hook ? hooked(hook, this.#context, next, commandNamed(name)!, this.isHot(name)) : next;
  }

  /** Whether it is after this command in particular. */
  isHot(name: string): boolean {
    return Object.hasOwn(this.layer.commands ?? {}, name);
  }

  /** What it wants done with calls on other threads. */
  policy(name: string): ForeignThreadPolicy {
    const { onForeignThread = "skip" } = this.layer;
    if (typeof onForeignThread === "string") return onForeignThread;
    return onForeignThread[name as keyof GlesCommands] ?? "skip";
  }
}
