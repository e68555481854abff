import { findExtension } from "../loader/command/registry/extension.ts";
import { planOf } from "../loader/command/plan.ts";
import { type Command, findCommand } from "../loader/command/registry/table.ts";
import { destroyingOf } from "../loader/layers/define/object_pairs.ts";
import { type AnyHook, defineLayer, type Layer } from "../loader/mod.ts";

/** The number of commands that are mixed; bench/c/counterparts.c has room for as many. */
export const MIXED = 64;
/** The number of calls before the order begins again. */
const LENGTH = 4096;
/** Versions that this library's driver and every other driver have. */
const LARGE_EXTENSIONS = [
  "VK_EXT_shader_object",
  "VK_KHR_acceleration_structure",
  "VK_KHR_ray_tracing_pipeline",
  "VK_KHR_swapchain",
  "VK_KHR_video_queue",
  "VK_EXT_descriptor_buffer",
  "VK_EXT_opacity_micromap",
  "VK_NV_device_generated_commands",
  "VK_EXT_device_generated_commands",
  "VK_NV_ray_tracing",
  "VK_KHR_synchronization2",
  "VK_KHR_dynamic_rendering",
  "VK_EXT_host_image_copy",
  "VK_NVX_binary_import",
  "VK_EXT_transform_feedback",
  "VK_EXT_mesh_shader",
];
const VERSIONS = ["VK_VERSION_1_0", "VK_VERSION_1_1", "VK_VERSION_1_2", "VK_VERSION_1_3"];

/** Device commands of the core that take plain values and arrays of them, so that they can be called with any. */
export function mixedCommands(count: number = MIXED): Command[] {
  return commandsOf(VERSIONS).filter(isPlain).slice(0, count);
}

/** The core's device commands, and those of the largest extensions. */
export function deviceCommands(): Command[] {
  return commandsOf([...VERSIONS, ...LARGE_EXTENSIONS]);
}

function commandsOf(extensions: readonly string[]): Command[] {
  const names = extensions.flatMap((name) => findExtension(name)!.commands);
  return [...new Set(names)].map((name) => findCommand(name)!).filter(({ level }) => level === "device");
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
