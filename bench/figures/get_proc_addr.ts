import { DEVICE_NAMES } from "../../loader/gen/command_table_gen.js";
import type { Figure } from "../figure.ts";
import { measureNative } from "../native.ts";
import type { Parts } from "../parts.ts";

const COUNT = DEVICE_NAMES.split(" ").length;

/**
 * The time of a current Khronos loader (1.4.360, whose look-up hashes names) as a share of the time of Debian's 1.3.239
 * for the same names, each measured on one machine: 22 of 487 µs for vkGetDeviceProcAddr, which is 31 of 678 ns a name,
 * and 92 of 569 µs for vkGetInstanceProcAddr. Debian's is measured in the same run as ours; this is the scale from
 * there on.
 */
const CURRENT = { device: 22 / 487, instance: 92 / 569 };

/** The cost of a name for a native program on the installed loader, beside the system's. */
export function getProcAddrFigures({ lavapipe }: Parts): Figure[] {
  const device = measureNative("device", lavapipe), instance = measureNative("instance", lavapipe);
  const names = `${COUNT} device commands`;
  return [
    {
      name: "getprocaddr_ns",
      meaning: `vkGetDeviceProcAddr from C, per name of ${names}`,
      value: device.ours / COUNT,
      unit: "ns",
    },
    {
      name: "getprocaddr_c_ns",
      meaning: "the same of the system's loader",
      value: device.theirs / COUNT,
      unit: "ns",
    },
    { name: "getprocaddr_vs_c", meaning: "ratio of the two", value: device.ratio, unit: "×", goal: 1 },
    {
      name: "getinstanceprocaddr_vs_c",
      meaning: `ratio for vkGetInstanceProcAddr, ${names}`,
      value: instance.ratio,
      unit: "×",
      goal: 1,
    },
    {
      name: "getprocaddr_vs_current_c",
      meaning: "ratio to a current loader, by its share of the system loader's time",
      value: device.ratio / CURRENT.device,
      unit: "×",
      goal: 1,
    },
    {
      name: "getinstanceprocaddr_vs_current_c",
      meaning: "the same for vkGetInstanceProcAddr",
      value: instance.ratio / CURRENT.instance,
      unit: "×",
      goal: 1,
    },
  ];
}
