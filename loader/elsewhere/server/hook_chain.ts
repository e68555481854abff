import { peek64 } from "../../../ffi/machine.ts";
import type { NativeCall } from "../../command/compile.ts";
import { commandSignature } from "../../command/plan.ts";
import { type Command, findCommand } from "../../command/registry/table.ts";
import type { Layer } from "../../layer.ts";
import { belowIn } from "../../layers/hooks/below.ts";
import { type ChainView, openView } from "../../layers/hooks/chain_view.ts";
import { compose, hookedBy, hookOf } from "../../layers/hooks/hooks.ts";
import { RECORD } from "../layout.ts";
import type { Call } from "./call.ts";
import type { Program } from "./program.ts";

/** A call that is being answered, and its program. */
export interface Answer {
  readonly call: Call;
  readonly program: Program;
}

/** What a chain of hooks knows of the session. */
export interface HookChainSpec {
  /** The names of all commands, by number. */
  readonly names: readonly string[];
  /** The layers as they are now. */
  layers(): readonly Layer[];
  /** The call whose hooks run now. */
  answer(): Answer;
  /** Has an address called by the thread of that call. */
  request(address: bigint, signature: string, args: readonly (number | bigint)[]): unknown;
}

/** The hooks of all layers, by command, with the functions of the program below them. */
export class HookChain {
  readonly #spec: HookChainSpec;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #handlers = new Map<number, { readonly signature: string; readonly run: NativeCall }>();

  /** Composes the hooks of a command when the command is first called. */
  constructor(spec: HookChainSpec) {
    this.#spec = spec;
    this.#numbers = new Map(spec.names.map((name, number) => [name, number]));
  }

  /** Composes the hooks again, after a change of the layers. */
  refresh(): void {
    this.#handlers.clear();
  }

  /** Returns the hooks of a command, all the way down; `undefined` for a number that no command has. */
  handler(number: number): { readonly signature: string; readonly run: NativeCall } | undefined {
    let handler = this.#handlers.get(number);
    if (!handler) {
      const name = this.#spec.names[number], command = name === undefined ? undefined : findCommand(name);
      if (!command) return undefined;
      const signature = commandSignature(command, "raw");
      const run = compose(this.#spec.layers(), command, this.#bottom(command));
      this.#handlers.set(number, handler = { signature, run });
    }
    return handler;
  }

  /** The function below all layers: in the program, on the thread whose call is being answered. */
  #bottom(command: Command): NativeCall {
    const signature = commandSignature(command, "raw");
    const call: NativeCall = (...args) => this.#spec.request(this.#addressOf(command.name, args[0]), signature, args);
    if (command.name === "vkCreateInstance") return this.#opening(call, "instance", 2);
    if (command.name === "vkCreateDevice") return this.#opening(call, "device", 3);
    return /^vkDestroy(Instance|Device)$/.test(command.name) ? this.#closing(call) : call;
  }

  #addressOf(name: string, handle: bigint): bigint {
    const { call, program } = this.#spec.answer();
    if (name === this.#spec.names[call.command] && (call.record === 0n || handle === call.handle)) return call.next;
    const record = program.recordOf(peek64(handle)), number = this.#numbers.get(name)!;
    if (record === 0n) throw new TypeError(`Cannot call ${name} with 0x${handle.toString(16)}: it is no handle`);
    return peek64(record + BigInt(RECORD.next + 8 * number));
  }

  #opening(create: NativeCall, level: "instance" | "device", out: number): NativeCall {
    return (...args) => {
      const result = create(...args);
      if (result as number >= 0) {
        const handle = peek64(args[out] as bigint), key = peek64(handle);
        this.#open(key, handle, level === "instance" ? key : peek64(args[0] as bigint), level);
      }
      return result;
    };
  }

  #open(key: bigint, handle: bigint, instance: bigint, level: "instance" | "device"): void {
    const { program } = this.#spec.answer();
    program.forgetObject(key);
    const view: ChainView = {
      layers: () => this.#spec.layers(),
      bottom: (command) => this.#bottom(command),
      address: ({ name, level: own }) => own === level ? this.#below(program, key, name) : 0n,
      below: (layer) => belowIn(view, layer),
    };
    program.scopes.set(key, { handle, instance, end: openView(key, view) });
  }

  #below(program: Program, key: bigint, name: string): bigint {
    const record = program.recordOf(key);
    return record === 0n ? 0n : peek64(record + BigInt(RECORD.next + 8 * this.#numbers.get(name)!));
  }

  #closing(destroy: NativeCall): NativeCall {
    return (handle, allocator) => {
      const { program } = this.#spec.answer(), key = handle === 0n ? 0n : peek64(handle);
      const result = destroy(handle, allocator);
      program.forgetObject(key);
      return result;
    };
  }
}

/** The names of the commands that a layer hooks in programs. */
export function wantedBy(layer: Layer): string[] {
  const names = hookedBy(layer).map(({ name }) => name).filter((name) => isHeard(layer, name));
  return hookOf(layer, "vkCreateInstance") ? [...names, "vkCreateInstance"] : names;
}

/** Every thread of a program is a foreign one, so that only a policy that the layer states can mean "skip". */
function isHeard({ onForeignThread }: Layer, name: string): boolean {
  const policy = typeof onForeignThread === "object"
    ? onForeignThread[name as keyof typeof onForeignThread]
    : onForeignThread;
  return policy !== "skip";
}
