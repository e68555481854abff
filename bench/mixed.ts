import { findExtension } from "../loader/command/registry/extension.ts";
import { planOf } from "../loader/command/plan.ts";
import { type Command, findCommand } from "../loader/command/registry/table.ts";
import { destroyingOf } from "../loader/layers/define/object_pairs.ts";
import { type AnyHook, defineLayer, type Layer } from "../loader/mod.ts";

/** How many commands are mixed; bench/c/counterparts.c has room for as many. */
export const MIXED = 64;
/** How many calls there are before the order begins again. */
const LENGTH = 4096;
/** Versions that this library's driver and every other driver have. */
const VERSIONS = ["VK_VERSION_1_0", "VK_VERSION_1_1", "VK_VERSION_1_2", "VK_VERSION_1_3"];

/** Device commands of the core that take plain values and arrays of them, so that they can be called with any. */
export function mixedCommands(count: number = MIXED): Command[] {
  const core = VERSIONS.flatMap((version) => findExtension(version)!.commands).map((name) => findCommand(name)!);
  return core.filter(({ level }) => level === "device").filter(isPlain).slice(0, count);
}

function isPlain(command: Command): boolean {
  const { parameters, outputs } = planOf(command);
  const { length } = parameters.filter(({ role, kind, dims }) =>
    role === "array" && (kind === "struct" || dims.length > 0)
  );
  return outputs.length === 0 && length === 0 && !destroyingOf(command.name) &&
    parameters.every(({ role }) => ["self", "value", "count", "array"].includes(role));
}

/** Places in the list of commands, in an order that looks like chance and is always the same. */
export function mixedOrder(count: number = MIXED): Uint8Array<ArrayBuffer> {
  let state = 1;
  return Uint8Array.from({ length: LENGTH }, () => {
    state = Math.imul(state, 48271) & 0x7fffffff;
    return (state >>> 16) % count; // the low bits repeat after a few
  });
}

/** A layer that has a hook on each of these commands, and passes everything on. */
export function passingLayer(commands: readonly Command[]): Layer {
  const hooks = commands.map(({ name, params }) => [name, passingHook(name, params.length)]);
  return defineLayer({ name: "VK_LAYER_BENCH_pass", commands: Object.fromEntries(hooks) });
}

/** A hook as an author writes it: a function of its own, that names its arguments. */
function passingHook(name: string, arity: number): AnyHook {
  const args = Array.from({ length: arity }, (_, index) => `a${index}`).join(", ");
  return new Function(`return (next, ${args}) => next(${args}); // ${name}`)();
}
