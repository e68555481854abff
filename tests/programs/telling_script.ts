/**
 * A script that tells its arguments and its device's name, for `cli.ts run` and
 * its kin. It begins with work that nobody awaits, as many scripts do. The first
 * argument says how it ends.
 */
import process from "node:process";
import { loadVulkan } from "../../loader/mod.ts";

async function main(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  console.log(JSON.stringify({ deno: Deno.args, node: process.argv.slice(2) }));
  using vulkan = loadVulkan({});
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const { deviceName, limits: { maxBoundDescriptorSets } } = gpu.vkGetPhysicalDeviceProperties();
  console.log(`${deviceName}, ${maxBoundDescriptorSets} sets`);
  if (Deno.args[0] === "exit") Deno.exit(3);
}

if (Deno.args[0] === "throw") throwing();
main();

function throwing(): never {
  throw new RangeError("too far", { cause: new Error("the reason") });
}
