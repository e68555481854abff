import { RESULTS } from "./gen/results_gen.ts";

/** The C name of a VkResult value, or `VkResult N` when the registry has none. */
export function resultName(result: number): string {
  const match = RESULTS.match(new RegExp(` (\\w+)=${result} `));
  return match ? match[1] : `VkResult ${result}`;
}

/** The value of a VkResult by its C name; `undefined` when the registry has none of that name. */
export function resultCode(name: string): number | undefined {
  const match = RESULTS.match(new RegExp(` ${name}=(-?\\d+) `));
  return match ? Number(match[1]) : undefined;
}
