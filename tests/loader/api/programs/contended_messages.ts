/**
 * Native threads and this one make wrong calls at once, so that validation
 * speaks on all of them and holds its lock whenever it does. The messenger is
 * never closed, and its timer must not keep the program alive.
 *
 * Argument: the driver. Prints, as JSON, how many calls were made, how many messages were heard and how many lost.
 */
import { createDebugMessenger, loadVulkan } from "../../../../loader/mod.ts";
import { threadId } from "../../../../ffi/machine.ts";
import { withWrongCalls } from "../wrong_calls.ts";

const THREADS = 4, TIMES = 200;
const vulkan = loadVulkan({ driver: Deno.args[0], layers: ["VK_LAYER_KHRONOS_validation"] });
const instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_EXT_debug_utils"] });
let here = 0, elsewhere = 0;
const messenger = createDebugMessenger(instance, ({ thread }) => {
  if (thread === threadId()) here++;
  else elsewhere++;
}, { records: 2 * THREADS * TIMES });

await withWrongCalls(instance, async (calls) => {
  calls.start(THREADS, TIMES);
  for (let index = 0; index < TIMES; index++) calls.here();
  const made = calls.join(), worker = calls.nonblocking();
  calls.here(); // while the worker may be in validation
  await worker;
  messenger.drain();
  console.log(JSON.stringify({ made, here, elsewhere, lost: messenger.lost }));
});
