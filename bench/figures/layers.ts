import { inFrame } from "../../ffi/arena.ts";
import { NativeBlock } from "../../ffi/block.ts";
import { copyMemory } from "../../ffi/machine.ts";
import { codec } from "../../loader/codec/codec.ts";
import { callerParameters, commandSignature, planOf } from "../../loader/command/plan.ts";
import { type Command, findCommand } from "../../loader/command/registry/table.ts";
import type { VkCommandBuffer, VkDevice, VkQueue } from "../../loader/gen/types_core_gen.ts";
import type { Layer } from "../../loader/mod.ts";
import { compileFixture } from "../../tests/support/compile.ts";
import type { Figure } from "../figure.ts";
import { compare, type Comparison, type Work } from "../measure.ts";
import { mixedCommands, mixedOrder, passingLayer } from "../mixed.ts";
import { measureNative } from "../native.ts";
import { type Parts, withDevice } from "../parts.ts";

/** A few commands of a program that repeats itself: V8 has room for each of them at one place of a call. */
const FEW = 10;
const PAIRS = 50_000, CALLS = 500_000;

/** The cost of layers to programs: many commands in random order, and objects made and destroyed. */
export function layerFigures({ lavapipe, c }: Parts): Figure[] {
  const busy = compileFixture("tiny_driver", ["-DANY_COMMAND"], "any")!;
  return [...pairFigures(busy, lavapipe, c), ...mixedFigures(busy, c), ...nativeFigures(busy)];
}

function pairFigures(busy: string, lavapipe: string, c: Parts["c"]): Figure[] {
  const both = ["vkCreateBuffer", "vkDestroyBuffer"];
  const pair = (driver: string, names = both, form = pairOf) =>
    beside(driver, names.map((name) => findCommand(name)!), form, PAIRS, c);
  const mesa = pair(lavapipe);
  const ratio = (name: string, meaning: string, { ratio }: Comparison, goal?: number): Figure => ({
    name: `layer_create_pair_${name}`,
    meaning,
    value: ratio,
    unit: "×",
    goal,
  });
  return [
    {
      name: "layer_create_pair_ns",
      meaning: "a buffer made and destroyed, both hooked, on lavapipe",
      value: mesa.ours,
      unit: "ns",
    },
    { name: "layer_create_pair_none_ns", meaning: "the same without a layer", value: mesa.theirs, unit: "ns" },
    ratio("vs_none", "ratio of the two", mesa, 2),
    ratio("raw_vs_none", "the same in raw form", pair(lavapipe, both, rawPairOf), 2),
    ratio("half_vs_none", "vkCreateBuffer alone hooked", pair(lavapipe, both.slice(0, 1)), 2),
    ratio("tiny_vs_none", "both hooked, on the smallest driver", pair(busy), 2),
    ratio("tiny_raw_vs_none", "the same in raw form", pair(busy, both, rawPairOf), 3),
  ];
}

function mixedFigures(busy: string, c: Parts["c"]): Figure[] {
  const commands = mixedCommands(), meaning = `a hit among ${commands.length} hooked commands in random order`;
  const hit = (form: Form) => ({ value: beside(busy, commands, form, CALLS, c).extra, unit: "ns", goal: 30 });
  return [
    { name: "layer_mixed_ns", meaning: `${meaning}, raw`, ...hit(rawMix) },
    { name: "layer_mixed_typed_ns", meaning: `${meaning}, as methods`, ...hit(typedMix) },
    {
      name: "layer_ten_raw_vs_none",
      meaning: `${FEW} cheap commands in random order, each hooked, raw, beside none`,
      value: beside(busy, mixedCommands(FEW), (device) => rawMix(device, FEW), CALLS, c).ratio,
      unit: "×",
      goal: 1.5,
    },
  ];
}

function nativeFigures(busy: string): Figure[] {
  const { extra } = measureNative("mixed", busy);
  return [{ name: "layer_native_mixed_ns", meaning: "the same from native code", value: extra, unit: "ns", goal: 100 }];
}

type Form = (device: VkDevice) => Work;

/** A device with a passing layer on these commands, beside one without. */
function beside(driver: string, commands: readonly Command[], form: Form, times: number, c: Parts["c"]): Comparison {
  let found: Comparison | undefined;
  withDevice(driver, [passingLayer(commands)], (hooked) =>
    withDevice(driver, [] as Layer[], (bare) => {
      found = compare(form(hooked), form(bare), times, c.thread_milliseconds);
    }));
  return found!;
}

let loops = 0;

/** A function from source text of its own: what V8 learns of one must not slow down the other. */
function ownSource(names: string, text: string): (...args: unknown[]) => Work {
  return new Function(...names.split(" "), `return (times) => { ${text} }; // ${loops++}`) as (
    ...args: unknown[]
  ) => Work;
}

function pairOf(device: VkDevice): Work {
  const text =
    `for (let i = 0; i < times; i++) device.vkDestroyBuffer(device.vkCreateBuffer({ size: 65536n, usage: 2 }));`;
  return ownSource("device", text)(device);
}

/** The info and the handle keep their places. The memory is freed with the process. */
function rawPairOf({ raw, handle }: VkDevice): Work {
  const { address, view } = new NativeBlock(4096);
  inFrame((memory) => {
    const at = memory.alloc(56);
    codec("VkBufferCreateInfo").encode({ size: 65536n, usage: 2 }, at);
    copyMemory(address, memory.address(at), 56);
  });
  const text = `for (let i = 0; i < times; i++) {
    raw.vkCreateBuffer(device, info, 0n, out);
    raw.vkDestroyBuffer(device, view.getBigUint64(64, true), 0n);
  }`;
  return ownSource("raw device info out view", text)(raw, handle, address, address + 64n, view);
}

function rawMix(device: VkDevice, count?: number): Work {
  return mix(
    mixedCommands(count).map((command) => {
      const letters = commandSignature(command, "raw").slice(3);
      const values = Array.from(letters, (letter) => letter === "q" ? "8n" : "1");
      const text = `return () => raw.${command.name}(${["self", ...values].join(", ")}); // ${loops++}`;
      return new Function("raw", "self", text)(device.raw, selfOf(command, device).handle);
    }),
  );
}

function typedMix(device: VkDevice): Work {
  return mix(
    mixedCommands().map((command) => {
      const values = callerParameters(planOf(command)).map(({ kind, role }) => {
        const value = kind === "h" || kind === "u64" ? "8n" : "1";
        return role === "array" ? `[${value}]` : value;
      });
      const text = `return () => self.${command.name}(${values.join(", ")}); // ${loops++}`;
      return new Function("self", text)(selfOf(command, device));
    }),
  );
}

function mix(calls: (() => void)[]): Work {
  const text = "for (let i = 0; i < times; i++) calls[order[i & 4095]]();";
  return ownSource("calls order", text)(calls, mixedOrder(calls.length));
}

const commandBuffers = new WeakMap<VkDevice, VkCommandBuffer>();

/** The device, its queue or its one command buffer. */
function selfOf({ params }: Command, device: VkDevice): VkDevice | VkQueue | VkCommandBuffer {
  if (params[0].type === "VkDevice") return device;
  if (params[0].type === "VkQueue") return device.vkGetDeviceQueue(0, 0);
  let commands = commandBuffers.get(device);
  if (!commands) {
    const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
    commandBuffers.set(device, commands);
  }
  return commands;
}
