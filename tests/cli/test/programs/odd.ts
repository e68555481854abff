import type { VkBuffer } from "../../../../loader/types.ts";
import { gpuTest } from "../../../../workbench/runs/testing/mod.ts";

gpuTest("passes", { budget: { wall: 1e6 } }, ({ buffer }) => void buffer(4));
gpuTest("has another picture", { goldens: "none" }, ({ image, golden }) => golden(image({ width: 8, height: 8 })));
gpuTest('<b> & "c", d / e\n\x1b[31m #12', () => {
  throw new Error("]]> & <x>");
});
gpuTest(`has a name ${"that is too long for a file ".repeat(20)}`, () => {
  throw new Error("which its script would have");
});
gpuTest("is ignored", { ignore: true }, () => {});
gpuTest("lacks an extension", { extensions: ["VK_NO_such"] }, () => {});
gpuTest("leaves", () => Deno.exit(0));
gpuTest("chats", { timeout: 500 }, () => {
  for (;;) console.log("chat".repeat(1000));
});
gpuTest("leaves a process behind", () => {
  const { pid } = new Deno.Command("sleep", { args: ["300"], stdout: "inherit" }).spawn();
  Deno.writeTextFileSync(Deno.env.get("TEST_PUMICE_LEFT")!, `${pid}`);
});
gpuTest("crashes in a command", ({ device }) => void device.vkGetBufferMemoryRequirements(8n as VkBuffer));
