import type { RawCommands } from "../../loader/gen/raw_commands_gen.ts";
import { defineLayer, type Layer } from "../../loader/mod.ts";
import type { Figure } from "../figure.ts";
import { compare, type Work } from "../measure.ts";
import { measureNative } from "../native.ts";
import { type Parts, withDevice } from "../parts.ts";

const TIMES = 2_000_000, EVENT = 5n;

/** The cost of one cheap command: beside a plain symbol, beside C through the system's loader, and with a layer. */
export function callFigures({ tiny, lavapipe, c, system }: Parts): Figure[] {
  const plain = plainSymbol(tiny);
  const figures: Figure[] = [];
  withDevice(tiny, [], (device) => {
    const { ours, theirs, ratio } = compare(
      rawCalls(device.raw, device.handle, EVENT),
      plain,
      TIMES,
      c.thread_milliseconds,
    );
    figures.push(
      { name: "call_ns", meaning: "cheap command, raw form, from TypeScript", value: ours, unit: "ns" },
      { name: "call_dlopen_ns", meaning: "the same function as a plain dlopened symbol", value: theirs, unit: "ns" },
      { name: "call_vs_dlopen", meaning: "ratio of the two", value: ratio, unit: "×", goal: 1.1 },
    );
  });
  withDevice(lavapipe, [], (device) => {
    const event = device.vkCreateEvent({});
    const inC: Work = (times) => c.system_event_status(system, times);
    const { theirs, ratio } = compare(rawCalls(device.raw, device.handle, event), inC, TIMES, c.thread_milliseconds);
    device.vkDestroyEvent(event);
    figures.push(
      {
        name: "call_c_ns",
        meaning: "vkGetEventStatus of lavapipe in C, system loader's trampoline",
        value: theirs,
        unit: "ns",
      },
      { name: "call_vs_c", meaning: "ours over it", value: ratio, unit: "×", goal: 3 },
    );
  });
  return [...figures, nativeCallFigure(lavapipe), ...layerFigures(tiny), nativeLayerFigure(tiny)];
}

/** One TypeScript layer, called from TypeScript: on the command, and on another one alone. */
function layerFigures(tiny: string): Figure[] {
  const hit = defineLayer({
    name: "VK_LAYER_BENCH_pass",
    commands: { vkGetEventStatus: (next, device, event) => next(device, event) },
  });
  const idle = defineLayer({
    name: "VK_LAYER_BENCH_idle",
    commands: { vkQueueSubmit: (next, ...args) => next(...args) },
  });
  const value = layerCost(tiny, hit), other = layerCost(tiny, idle);
  return [
    { name: "layer_ts_ns", meaning: "one TypeScript layer hit, from TypeScript", value, unit: "ns", goal: 10 },
    { name: "layer_idle_ns", meaning: "one that hooks another command alone", value: other, unit: "ns" },
  ];
}

/** The cost that a layer adds to a call. */
function layerCost(tiny: string, layer: Layer): number {
  let value = 0;
  withDevice(tiny, [layer], (hooked) =>
    withDevice(tiny, [], (bare) => {
      const { ours, theirs } = compare(
        rawCalls(hooked.raw, hooked.handle, EVENT),
        rawCalls(bare.raw, bare.handle, EVENT),
        TIMES,
      );
      value = ours - theirs;
    }));
  return value;
}

/** An exported command, called from C: both loaders check the handle. */
function nativeCallFigure(driver: string): Figure {
  const meaning = "an exported command from C, over the system loader's";
  return { name: "native_call_vs_c", meaning, value: measureNative("call", driver).ratio, unit: "×", goal: 1.1 };
}

/** The same for a native program that runs on the installed loader. */
function nativeLayerFigure(tiny: string): Figure {
  const { ours, theirs } = measureNative("layer", tiny);
  const meaning = "one TypeScript layer hit, from native code";
  return { name: "layer_ts_native_ns", meaning, value: ours - theirs, unit: "ns", goal: 80 };
}

let loops = 0;

/**
 * A loop over one raw command, from source text of its own: loops made from one
 * closure share what V8 learns about their call site, and a site that has seen
 * two drivers is slower than either.
 */
function rawCalls(raw: RawCommands, device: bigint, event: bigint): Work {
  const text = "for (let i = 0; i < times; i++) raw.vkGetEventStatus(device, event);";
  const loop = new Function("raw", "device", "event", "times", `${text} // ${loops++}`);
  return (times) => loop(raw, device, event, times);
}

function plainSymbol(tiny: string): Work {
  const { symbols } = Deno.dlopen(tiny, {
    tiny_event_status: { parameters: ["u64", "u64"], result: "i32" }, // int32_t (Handle *device, uint64_t event)
  });
  return (times) => {
    for (let i = 0; i < times; i++) symbols.tiny_event_status(0n, EVENT);
  };
}
