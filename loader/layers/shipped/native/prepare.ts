import { memory } from "../../../codec/values/memory.ts";
import { prepareClock } from "./clock.ts";
import { prepareFiles } from "./file.ts";

/**
 * Finds and makes what hooks need without Deno: the C library's functions and
 * the codec's memory. Called when a layer is made, because finding them calls
 * Deno, which hooks must not do while Deno itself calls Vulkan.
 */
export function prepareHooks(): void {
  memory();
  prepareClock();
  prepareFiles();
}
