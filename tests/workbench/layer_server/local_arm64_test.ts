/**
 * Shared memory and futexes on AArch64: server and programs are emulated. Takes
 * half a minute, so by hand:
 *
 *     deno task test:arm64 tests/workbench/layer_server/local_arm64_test.ts
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { serveLayers } from "../../../workbench/layers.ts";
import { defineLayer, type ForeignCall } from "../../../loader/mod.ts";
import { compileForArm64 } from "../../support/arm64.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { emulating, IN_EMULATOR } from "./emulating.ts";

Deno.test(
  "An AArch64 program and an AArch64 server share memory: hooks read, write and answer, and calls are noted",
  IN_EMULATOR,
  () =>
    withFolderAsync(async (folder) => {
      const { line, env } = emulating(folder, compileForArm64(folder, "elsewhere_app"));
      const sizes: bigint[] = [], calls: ForeignCall[] = [];
      const layer = defineLayer({
        name: "VK_LAYER_TEST_larger",
        commands: {
          vkCreateBuffer(next, device, pCreateInfo, ...rest) {
            const info = this.read("VkBufferCreateInfo", pCreateInfo);
            sizes.push(info.size);
            return next(device, this.write("VkBufferCreateInfo", { ...info, size: info.size * 2n }), ...rest);
          },
          vkDestroyBuffer: (next, ...args) => next(...args),
          vkGetBufferMemoryRequirements: (next, ...args) => next(...args),
        },
        recorded: (call) => calls.push(call),
      });
      const policies = {
        vkDestroyBuffer: "record",
        vkGetBufferMemoryRequirements: { record: ["pMemoryRequirements"] },
      } as const;
      await using server = await serveLayers({ layers: [layer], policies });
      for (
        const [words, stdout] of [[["results", "2"], "2048 2048 \n"], [["threads", "3"], "300 buffers\n"]] as const
      ) {
        const own = server.environment({ ...Deno.env.toObject(), ...env });
        const command = new Deno.Command("timeout", { args: [...line, ...words], env: own });
        const done = await command.output(),
          [out, said] = [done.stdout, done.stderr].map((bytes) => new TextDecoder().decode(bytes));
        assertEquals([done.code, out, said], [0, stdout, ""]);
      }
      server.drain();
      const [copied] = Map.groupBy(calls, ({ command }) => command).get("vkGetBufferMemoryRequirements") ?? [];
      assertEquals([sizes.length, calls.length, server.lostCalls, copied?.copies?.[0].bytes.length], [302, 604, 0, 24]);
    }),
);
