import { NativeBlock } from "../../ffi/block.ts";
import { type Command, signatureOf } from "../../egl/command/spec.ts";
import { features, glCommands } from "../../egl/dispatch/names.ts";
import type { AnyGlesHook } from "../../egl/layers/gles_layer.ts";
import { defineGlesLayer, type GlesLayer } from "../../egl/mod.ts";
import { openContext, type Opened } from "../../tests/egl/context.ts";
import { mesa } from "../../tests/egl/drivers.ts";
import { changedDriver } from "../../tests/egl/fake_driver.ts";
import type { Figure } from "../figure.ts";
import { compare, type Comparison, type Work } from "../measure.ts";
import { MIXED, mixedOrder } from "../mixed.ts";

const CALLS = 400_000;
/** Calls commands at a table's addresses in an order: `(commands, order, length, times)`. */
type MixedInC = (commands: bigint, order: bigint, length: number, times: number) => void;

/** The cost of a TypeScript layer at each of many commands, called in random order, on a driver that does nothing. */
export function glLayerFigures(inC: MixedInC): Figure[] {
  const commands = mixedCommands(), meaning = `a hit among ${commands.length} hooked commands in random order`;
  const named = beside(commands, namedLayer(commands), fromScript), any = beside(commands, anyLayer(), fromScript);
  const native = beside(commands, namedLayer(commands), (opened) => fromNative(opened, commands, inC));
  const cost = ({ extra }: Comparison) => extra;
  return [
    { name: "gl_layer_mixed_ns", meaning: `OpenGL ES: ${meaning}`, value: cost(named), unit: "ns", goal: 60 },
    {
      name: "gl_layer_any_mixed_ns",
      meaning: "the same by a layer that hooks everything",
      value: cost(any),
      unit: "ns",
      goal: 60,
    },
    { name: "gl_layer_native_mixed_ns", meaning: "the same from native code", value: cost(native), unit: "ns" },
  ];
}

/** Commands of OpenGL ES 3.0 and before that take and return plain values. */
function mixedCommands(): Command[] {
  const core = features().filter(({ api, version }) => api === "gles2" && version && version[1] === 0);
  const all = core.flatMap(({ commands }) => commands).map((name) => glCommands.find(name)!);
  const isPlain = ({ result, params }: Command) => !result.startsWith("*") && params.every(({ stars }) => stars === 0);
  return all.filter((each) => isPlain(each) && each.name !== "glGetError").slice(0, MIXED);
}

function namedLayer(commands: readonly Command[]): GlesLayer {
  const hooks = commands.map(({ name, params }) => {
    const args = params.map((_, index) => `, a${index}`).join("");
    return [name, new Function(`return (next${args}) => next(${args.slice(2)}); // ${name}`)()];
  });
  return defineGlesLayer({ name: "named", commands: Object.fromEntries(hooks) });
}

/** As an author writes it who treats all commands alike. */
function anyLayer(): GlesLayer {
  const counts: Record<string, number> = {};
  const hookOf = (command: string): AnyGlesHook => (next, ...args) => {
    counts[command] = (counts[command] ?? 0) + 1;
    return next(...args);
  };
  return defineGlesLayer({ name: "any", anyCommand: hookOf });
}

/** Measures with the layer and without it. One of the two contexts is the driver's current one, which does nothing. */
function beside(
  commands: readonly Command[],
  layer: GlesLayer,
  form: (opened: Opened, commands: readonly Command[]) => Work,
): Comparison {
  const answers = Object.fromEntries(commands.map((command) => {
    const signature = signatureOf(command).replace(/^v/, "w");
    return [command.name, [signature, signature[0] === "q" ? 0n : 0] as const];
  }));
  const idle = { ...mesa, open: () => changedDriver(mesa.open(), answers) };
  using hooked = openContext(idle, [3, 0], { layers: [layer] });
  const ours = form(hooked, commands);
  using bare = openContext(idle, [3, 0]);
  return compare(ours, form(bare, commands), CALLS);
}

let loops = 0;

function fromScript({ gl }: Opened, commands: readonly Command[]): Work {
  const calls = commands.map((command) => {
    const values = Array.from(signatureOf(command).slice(2), (letter) => letter === "q" ? "8n" : "1");
    return new Function("raw", `return () => raw.${command.name}(${values}); // ${loops++}`)(gl.raw);
  });
  const text = `return (times) => { for (let i = 0; i < times; i++) calls[order[i & 4095]](); } // ${loops++}`;
  return new Function("calls", "order", text)(calls, mixedOrder());
}

function fromNative({ egl }: Opened, commands: readonly Command[], inC: MixedInC): Work {
  const order = mixedOrder(), memory = new NativeBlock(order.length), table = new NativeBlock(8 * commands.length);
  memory.bytes.set(order);
  commands.forEach(({ name }, index) => table.view.setBigUint64(8 * index, egl.eglGetProcAddress(name), true));
  return (times) => inC(table.address, memory.address, order.length, times);
}
