import { NativeBlock } from "../../ffi/block.ts";
import { fillTable, NameBlob } from "../../ffi/machine.ts";
import { DEVICE_NAMES } from "../../loader/gen/command_table_gen.js";
import type { Figure } from "../figure.ts";
import { compare } from "../measure.ts";
import { type Parts, withDevice } from "../parts.ts";

const TIMES = 20;

/** Filling a device's dispatch table with every command the registry knows, beside the same loop in C. */
export function tableFigures({ lavapipe, c }: Parts): Figure[] {
  const figures: Figure[] = [];
  withDevice(lavapipe, [], (device) => {
    using names = new NameBlob(DEVICE_NAMES);
    using memory = new NativeBlock(8 * names.count);
    const getProcAddr = device.vkGetDeviceProcAddr("vkGetDeviceProcAddr"), { handle } = device, table = memory.address;
    const { ours, theirs, ratio } = compare(
      (times) => {
        for (let i = 0; i < times; i++) fillTable({ getProcAddr, handle, names, table });
      },
      (times) => {
        for (let i = 0; i < times; i++) c.fill_table(getProcAddr, handle, names.address, table, names.count);
      },
      TIMES,
      c.thread_milliseconds,
    );
    const meaning = `filling a table of ${names.count} device commands`;
    figures.push(
      { name: "table_us", meaning, value: ours / 1000, unit: "µs" },
      { name: "table_c_us", meaning: "the same loop in C", value: theirs / 1000, unit: "µs" },
      { name: "table_vs_c", meaning: "ratio of the two", value: ratio, unit: "×", goal: 1 },
    );
  });
  return figures;
}
