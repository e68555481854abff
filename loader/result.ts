import { RESULTS } from "./gen/results_gen.ts";

/** Returns the C name of a VkResult value, or `VkResult N` if the registry has none. */
export function resultName(result: number): string {
  const match = RESULTS.match(new RegExp(` (\\w+)=${result} `));
  return match ? match[1] : `VkResult ${result}`;
}

/** Returns the value of a VkResult by its C name; `undefined` if the registry has no such name. */
export function resultCode(name: string): number | undefined {
  const match = RESULTS.match(new RegExp(` ${name}=(-?\\d+) `));
  return match ? Number(match[1]) : undefined;
}
