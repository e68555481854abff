import { DEVICE_NAMES } from "../../loader/gen/command_table_gen.js";
import type { Figure } from "../figure.ts";
import { measureNative } from "../native.ts";
import type { Parts } from "../parts.ts";

const COUNT = DEVICE_NAMES.split(" ").length;

/** What a native program pays for a name on the installed loader, beside the system's. */
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
  ];
}
