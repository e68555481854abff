import { blaming } from "../guard/blame.ts";
import type { RingRecord } from "../../../ffi/thunk/ring.ts";
import { createTableThunk, type TableThunk, type TableThunkOptions } from "../../../ffi/thunk/table_thunk.ts";
import type { NativeCall } from "../../command/compile.ts";
import { commandSignature } from "../../command/plan.ts";
import { type Command, findCommand } from "../../command/registry/table.ts";
import type { RawCommands } from "../../gen/raw_commands_gen.ts";
import type { ForeignThreadPolicy, Layer } from "../../layer.ts";
import { type ForeignCalls, policyOf } from "./foreign_calls.ts";
import { hookedBy } from "./hooks.ts";

/** The parts of a command's callback, without the policy for other threads. */
export interface HookThunkParts extends TableThunkOptions {
  /** Returns the handler for the instance or device of a dispatch table. */
  readonly handlerOf: (table: bigint) => NativeCall;
}

/**
 * The callbacks by which native code enters the hooks of TypeScript layers.
 * There is one for each command and each policy for other threads that a layer
 * requests. It serves all instances and devices.
 */
export class HookThunks {
  readonly #partsOf: (command: Command) => HookThunkParts;
  readonly #foreign: ForeignCalls;
  readonly #thunks = new Map<string, Map<ForeignThreadPolicy, TableThunk>>();
  /** The layers that want to hear of other threads' calls, by command. */
  readonly #listeners = new Map<string, Set<Layer>>();

  /** Starts without callbacks. `partsOf` returns the parts of each. */
  constructor(foreign: ForeignCalls, partsOf: (command: Command) => HookThunkParts) {
    this.#foreign = foreign;
    this.#partsOf = partsOf;
  }

  /** The commands that have callbacks. */
  get commands(): Command[] {
    return [...this.#thunks.keys()].map((name) => findCommand(name)!);
  }

  /** Makes the callbacks that layers need. Not for use inside a callback. */
  prepare(layers: readonly Layer[]): void {
    for (const layer of layers) {
      for (const command of hookedBy(layer)) {
        const policy = policyOf(layer, command.name);
        this.make(command, policy);
        if (policy === "record") this.#listenersOf(command.name).add(layer);
      }
    }
  }

  /** Makes a callback, unless it exists. Not for use inside a callback. */
  make(command: Command, policy: ForeignThreadPolicy): void {
    const { name } = command, policies = this.#thunks.get(name) ?? new Map<ForeignThreadPolicy, TableThunk>();
    if (policies.has(policy)) return;
    const { handlerOf, ...options } = this.#partsOf(command);
    const all = { ...this.#foreign.options(policy), ...options, name };
    const thunk = createTableThunk(commandSignature(command, "raw"), handlerOf, all);
    if (policy === "record") this.#foreign.listen(thunk, (call) => this.#tell(name as keyof RawCommands, call));
    this.#thunks.set(name, policies.set(policy, thunk));
  }

  /** The address of the callback for a command and a policy. The callback must exist. */
  address({ name }: Command, policy: ForeignThreadPolicy): bigint {
    return this.#thunks.get(name)!.get(policy)!.address;
  }

  /**
   * Makes all callbacks ask for their handlers again, after a change of layers
   * or when another table may get the address of an earlier one.
   */
  refresh(): void {
    for (const policies of this.#thunks.values()) for (const thunk of policies.values()) thunk.refresh();
  }

  /** Frees the callbacks. All instances and devices must be gone. */
  close(): void {
    for (const policies of this.#thunks.values()) for (const thunk of policies.values()) thunk.free();
    this.#thunks.clear();
  }

  #tell(command: keyof RawCommands, { thread, args, lost, caller }: RingRecord): void {
    const call = { command, thread, args, lost, ...caller! };
    for (const layer of this.#listenersOf(command)) {
      blaming(layer.name, `recorded ${command}`, () => layer.recorded?.(call));
    }
  }

  #listenersOf(command: string): Set<Layer> {
    let listeners = this.#listeners.get(command);
    if (!listeners) this.#listeners.set(command, listeners = new Set());
    return listeners;
  }
}
