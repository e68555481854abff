import { interposerLayout } from "../chain/table/table_layout.ts";
import { type NativeCall, rawAt } from "../command/compile.ts";
import { type Command, findCommand } from "../command/registry/table.ts";
import { type ForeignCalls, isCalledWhileCollecting } from "../layers/hooks/foreign_calls.ts";
import type { Layer } from "../layer.ts";
import { type HookThunkParts, HookThunks } from "../layers/hooks/hook_thunks.ts";
import { hookedBy, isBrought, jointPolicy } from "../layers/hooks/hooks.ts";
import type { NewCommands } from "../layers/hooks/new_commands.ts";
import { Presence } from "../layers/hooks/chain_view.ts";
import { type InterposerCode, interposerCode, type InterposerSide } from "./interposer_code.ts";

/** The command in which a interposer always takes part, because it must learn of every device. */
const CREATE_DEVICE = "vkCreateDevice";

/**
 * A place below a native layer for TypeScript layers, for all instances of a
 * loader. The layer above enters each command through a jump. The jump leads to
 * the function below the interposer or, if a layer hooks the command, to a callback.
 * Layers may therefore come and go while the layer above keeps its pointers.
 * Calls on other threads go directly to the function below, unless a layer says
 * otherwise.
 */
export class Interposer implements Disposable {
  /** Index of the interposer, from the top. */
  readonly index: number;
  /** The interposer's machine code. */
  readonly code: InterposerCode;
  readonly #thunks: HookThunks;
  readonly #added: NewCommands;
  readonly #sides = new Map<bigint, InterposerSide>();
  /** Presences by table. */
  readonly #presences = new Map<bigint, Presence>();
  readonly #bottoms = new Map<string, NativeCall>();
  #mayCollect = false;

  /** Throws a `TypeError` where emitted code cannot be used. Not for use inside a callback. */
  constructor(index: number, foreign: ForeignCalls, added: NewCommands) {
    const code = interposerCode(index);
    if (!code) {
      throw new TypeError(
        "Cannot put TypeScript layers below native ones: emitted code cannot be used here; list TypeScript layers first",
      );
    }
    this.index = index;
    this.#added = added;
    this.code = code;
    this.#thunks = new HookThunks(foreign, (command) => this.#partsOf(command));
    this.#thunks.make(findCommand(CREATE_DEVICE)!, "block");
  }

  /** Makes the callbacks that these layers need. Not for use inside a callback. */
  prepare(layers: readonly Layer[]): void {
    // compiled now, because later may be inside a callback
    for (const command of layers.flatMap(hookedBy)) this.bottom(command);
    this.#thunks.prepare(layers);
  }

  /** Lets the layers into an instance or device whose table is filled. */
  open(side: InterposerSide): void {
    const { address } = side.table;
    this.#presences.get(address)?.end();
    this.#presences.set(address, new Presence(side.table, side, this.#added));
    this.#sides.set(address, side);
    this.#thunks.refresh(); // the address may have belonged to another table
    this.#divert(side);
  }

  /** Forgets an instance or device, by its table's address. */
  forget(table: bigint): void {
    this.#presences.get(table)?.end();
    this.#presences.delete(table);
    this.#sides.delete(table);
    this.#thunks.refresh();
  }

  /** Sets the callbacks again after a change of layers. */
  refresh(): void {
    this.#thunks.refresh();
    for (const [table, side] of this.#sides) {
      side.refresh();
      this.#presences.get(table)!.refresh();
      for (const command of this.#thunks.commands) if (isAt(side, command)) side.table.divert(command);
      this.#divert(side);
    }
  }

  /** Whether Deno itself may be calling, also during garbage collection: see {@linkcode isCalledWhileCollecting}. */
  set mayCollect(may: boolean) {
    if (may === this.#mayCollect) return;
    this.#mayCollect = may;
    this.refresh();
  }

  /** Returns the raw function below the interposer for a command. */
  bottom(command: Command): NativeCall {
    const { name, level, slot } = command;
    let call = this.#bottoms.get(name);
    if (!call) {
      const { next } = interposerLayout(level as "instance" | "device", this.index);
      this.#bottoms.set(name, call = rawAt(command, 8 * (next + slot)));
    }
    return call;
  }

  /** Frees the callbacks. All instances must be gone. */
  close(): void {
    this.#thunks.close();
  }

  /** Frees the callbacks at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #divert(side: InterposerSide): void {
    const layers = side.layers(), hooked = layers.flatMap(hookedBy).filter(({ name }) => this.#mayHook(name));
    for (const command of [findCommand(CREATE_DEVICE)!, ...hooked]) {
      if (!isAt(side, command)) continue;
      if (side.table.next(command) === 0n && isBrought(layers, command)) side.table.bring(command);
      if (side.table.next(command) === 0n) continue;
      const policy = command.name === CREATE_DEVICE ? "block" : jointPolicy(layers, command.name);
      side.table.divert(command, this.#thunks.address(command, policy));
    }
  }

  #mayHook(name: string): boolean {
    return !this.#mayCollect || !isCalledWhileCollecting(name);
  }

  #partsOf(command: Command): HookThunkParts {
    const { level, slot } = command, { next } = interposerLayout(level as "instance" | "device", this.index);
    const handlerOf = (table: bigint) => this.#sides.get(table)?.call(command) ?? this.bottom(command);
    return { handlerOf, nextInTable: 8 * (next + slot) };
  }
}

function isAt({ table }: InterposerSide, { level }: Command): boolean {
  return level === table.level;
}
