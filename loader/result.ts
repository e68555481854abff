import { RESULTS } from "./gen/results_gen.ts";

/** The C name of a VkResult value, or `VkResult N` when the registry has none. */
export function resultName(result: number): string {
  const match = RESULTS.match(new RegExp(` (\\w+)=${result} `));
  return match ? match[1] : `VkResult ${result}`;
}
