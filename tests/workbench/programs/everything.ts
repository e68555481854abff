import type { FuzzFacts } from "../../../workbench/programs/facts.ts";
import { allFormats } from "../../../workbench/programs/formats.ts";

/** Facts of a driver that can do everything: programs for it need no driver to be generated and checked. */
export function everything(): FuzzFacts {
  const all = (bits: number) => Object.fromEntries(allFormats().map(({ value }) => [value, bits]));
  return {
    apiVersion: 1 << 22 | 3 << 12,
    formats: all(0x1_ffff),
    buffers: all(0x40),
    samples: all(5),
    features: [
      "independentBlend",
      "occlusionQueryPrecise",
      "drawIndirectFirstInstance",
      "multiDrawIndirect",
      "dynamicRendering",
      "synchronization2",
    ],
  };
}

/** Facts of a driver of Vulkan 1.1 that has no optional feature. */
export function little(): FuzzFacts {
  return { ...everything(), apiVersion: 1 << 22 | 1 << 12, features: [] };
}
