/**
 * Runs programs of the self-check under validation, that of synchronisation too:
 * `validated_programs.ts DRIVER FROM TO`. Validation prints what it has to say;
 * the last line has how many reads were made, and how many had other bytes than
 * they must.
 *
 * @module
 */
import { loadVulkan } from "../../../loader/mod.ts";
import { memoryKinds } from "../../../tools/fuzz/self_check/memory_kinds.ts";
import { runProgram } from "../../../tools/fuzz/self_check/program.ts";

const [driver, from, to] = Deno.args;
let reads = 0, wrong = 0;
for (let seed = Number(from); seed < Number(to); seed++) {
  using vulkan = loadVulkan({ driver, layers: ["VK_LAYER_KHRONOS_validation", memoryKinds()] });
  const { seen } = runProgram(vulkan, seed);
  reads += seen.length;
  wrong += seen.filter(({ bytes, expected }) => bytes.some((byte, index) => byte !== expected[index])).length;
}
console.log(`${reads} reads, ${wrong} wrong`);
