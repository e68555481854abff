import { peek64, readFrom } from "../../../ffi/machine.ts";
import type { NativeCall } from "../../../loader/command/compile.ts";
import { commandSignature } from "../../../loader/command/plan.ts";
import { type Command, findCommand } from "../../../loader/command/registry/table.ts";
import type { Layer } from "../../../loader/layer.ts";
import { belowIn } from "../../../loader/layers/hooks/below.ts";
import { type ChainView, openView } from "../../../loader/layers/hooks/chain_view.ts";
import { compose } from "../../../loader/layers/hooks/hooks.ts";
import { handOver } from "../../../loader/layers/define/object_states.ts";
import { numberedCommands } from "../commands.ts";
import { RECORD } from "../layout.ts";
import type { Hooks, HookSpec } from "./layer_kind.ts";
import type { Program } from "./program.ts";

/** The hooks of all layers, by command, with the functions of the program below them. */
export class HookChain implements Hooks<Layer> {
  readonly #spec: HookSpec<Layer>;
  readonly #names = numberedCommands();
  readonly #numbers: ReadonlyMap<string, number>;

  /** Composes no hooks yet. */
  constructor(spec: HookSpec<Layer>) {
    this.#spec = spec;
    this.#numbers = new Map(this.#names.map((name, number) => [name, number]));
  }

  /** See {@linkcode Hooks.compose}. */
  compose(name: string): NativeCall {
    const command = findCommand(name)!,
      layers = this.#spec.layers(),
      bottom = this.#bottom(command),
      { pulse } = this.#spec;
    if (!pulse) return compose(layers, command, bottom);
    return layers.reduceRight<NativeCall>((next, layer) => {
      const own = compose([layer], command, next);
      return own === next ? next : pulse.marked(`${layer.name}, ${name}`, own);
    }, bottom);
  }

  /** See {@linkcode Hooks.handOver}: in all instances and devices. */
  handOver(old: Layer, layer: Layer, programs: Iterable<Program>): void {
    for (const { scopes, memory } of programs) {
      const before = readFrom(memory);
      try {
        for (const [key, { handle, instance }] of scopes) {
          const keys = [...scopes].filter(([, scope]) => scope.instance === key).map(([each]) => each);
          if (key === instance) handOver(old, layer, handle, keys);
        }
      } finally {
        readFrom(before);
      }
    }
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
    if (name === this.#names[call.command] && (call.record === 0n || handle === call.handle)) return call.next;
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
