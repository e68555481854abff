import { assertEquals } from "@std/assert";
import { mayGenerate } from "../../../../ffi/generated_code.ts";

Deno.test("codec() works where code generation from strings is forbidden", async () => {
  assertEquals(mayGenerate(), true);
  const script = new URL("../no_eval.ts", import.meta.url).pathname;
  const args = ["run", "--no-config", "--allow-ffi", "--v8-flags=--disallow-code-generation-from-strings", script];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
  const { generates, queues, message } = JSON.parse(new TextDecoder().decode(stdout));
  assertEquals(generates, false);
  assertEquals([queues[0].queueFamilyIndex, queues[0].queueCount, queues[0].pQueuePriorities], [1, 2, [0.5, 1]]);
  assertEquals(message, "VkDeviceCreateInfo.flag is not a member; did you mean flags?");
});
