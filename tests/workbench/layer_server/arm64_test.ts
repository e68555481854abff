import { assert, assertEquals } from "@std/assert";
import { serveLayers } from "../../../workbench/layers.ts";
import { LAYER_NAME } from "../../../workbench/layer_server/manifest.ts";
import { writeLayerFiles } from "../../../workbench/layer_server/write_files.ts";
import { defineLayer, type ForeignCall, type Layer } from "../../../loader/mod.ts";
import halved from "../../../examples/half_viewport.ts";
import { ARM64_ROOT, compileForArm64 } from "../../support/arm64.ts";
import { run } from "../../support/subprocess.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { startXServer } from "../../support/x_server.ts";
import { emulating, NEEDS_ARM64 } from "./emulating.ts";
import { NEEDS_PROGRAMS, untilLeft } from "./programs.ts";
import { assertHalved, looking, passing, type Screen } from "./screen.ts";

Deno.test(
  "A library for aarch64-linux passes on, and lets hooks of this processor answer a program of the other one",
  NEEDS_ARM64,
  () =>
    withFolderAsync(async (folder) => {
      const { line, env } = emulating(folder, compileForArm64(folder, "elsewhere_app"));
      await writeLayerFiles(`${folder}/layers`, { processor: "aarch64" });
      const plain = run("timeout", [...line, "results", "2"], {
        env: { ...env, VK_ADD_LAYER_PATH: `${folder}/layers`, VK_INSTANCE_LAYERS: LAYER_NAME },
        without: /^VK_/,
        seconds: 120,
      });
      assertEquals([plain.code, plain.stdout], [0, "1024 1024 \n"], plain.output);
      const sizes: bigint[] = [];
      const larger = defineLayer({
        name: "VK_LAYER_TEST_larger",
        commands: {
          vkCreateBuffer(next, device, pCreateInfo, pAllocator, pBuffer) {
            const info = this.read("VkBufferCreateInfo", pCreateInfo);
            sizes.push(info.size);
            return next(
              device,
              this.write("VkBufferCreateInfo", { ...info, size: info.size * 2n }),
              pAllocator,
              pBuffer,
            );
          },
        },
      });
      await using server = await serveLayers({ layers: [larger], listen: "tcp:127.0.0.1:0", runsOn: "aarch64-linux" });
      const rows = [["results", "2", "2048 2048 \n"], ["rounds", "6", "6 rounds, 0 mappings more\n"], [
        "threads",
        "5",
        "500 buffers\n",
      ]];
      for (const [what, count, stdout] of rows) {
        const own = { ...Deno.env.toObject(), ...env };
        const command = new Deno.Command("timeout", { args: [...line, what, count], env: server.environment(own) });
        const done = await command.output();
        assertEquals(
          [done.code, new TextDecoder().decode(done.stdout)],
          [0, stdout],
          new TextDecoder().decode(done.stderr),
        );
      }
      await untilLeft(server);
      assertEquals([sizes.length, server.connected], [508, 8]);
    }),
);

Deno.test(
  "A library for aarch64-linux notes the calls of an arm64 program, with threads, times and arguments, and counts losses",
  NEEDS_ARM64,
  () =>
    withFolderAsync(async (folder) => {
      const { line, env } = emulating(folder, compileForArm64(folder, "elsewhere_app")), calls: ForeignCall[] = [];
      const layer = defineLayer({
        name: "VK_LAYER_TEST_hearing",
        anyCommand: () => (next, ...args) => next(...args),
        recorded: (call) => calls.push(call),
      });
      await using server = await serveLayers({
        layers: [layer],
        listen: "tcp:127.0.0.1:0",
        runsOn: "aarch64-linux",
        policies: { vkCreateBuffer: { record: ["pCreateInfo"] }, vkDestroyBuffer: "record" },
      });
      const command = new Deno.Command("timeout", {
        args: [...line, "threads", "3"],
        env: server.environment({ ...Deno.env.toObject(), ...env }),
      });
      const { code, stdout, stderr } = await command.output();
      const said = [code, new TextDecoder().decode(stdout), new TextDecoder().decode(stderr)];
      assertEquals(said, [0, "300 buffers\n", ""]);
      server.drain();
      assertEquals([calls.length, server.lostCalls], [600, 0]);
      const threads = Map.groupBy(calls, ({ tid }) => tid);
      assertEquals([...threads.values()].map(({ length }) => length), [200, 200, 200]);
      for (const own of threads.values()) {
        own.forEach(({ command, time, args, copies }, index) => {
          assertEquals([command, args[0]], [index % 2 === 0 ? "vkCreateBuffer" : "vkDestroyBuffer", own[0].args[0]]);
          assert(time >= (own[index - 1]?.time ?? 1));
          if (command !== "vkCreateBuffer") return;
          const [{ path, address, size, bytes, members }] = copies!;
          assertEquals([path, address, size], ["pCreateInfo", args[1], 56]);
          assertEquals([bytes.length, members.size], [56, 64n]); // by the file of the memory, as the emulator has no process_vm_readv
        });
      }
    }),
);

Deno.test(
  "A library for aarch64-linux sends the last notes of an arm64 program that ends by exit and destroys nothing",
  NEEDS_ARM64,
  () =>
    withFolderAsync(async (folder) => {
      const { line, env } = emulating(folder, compileForArm64(folder, "elsewhere_hostile")), said: string[] = [];
      let calls = 0;
      const layer = defineLayer({
        name: "VK_LAYER_TEST_hearing",
        anyCommand: () => (next, ...args) => next(...args),
        recorded: () => void calls++,
      });
      const server = await serveLayers({
        layers: [layer],
        listen: "tcp:127.0.0.1:0",
        runsOn: "aarch64-linux",
        policies: { vkCreateBuffer: "record", vkDestroyBuffer: "record" },
        log: (message) => said.push(message),
      });
      const command = new Deno.Command("timeout", {
        args: [...line, "ends", "205", "exit"],
        env: server.environment({ ...Deno.env.toObject(), ...env }),
      });
      const { code, stderr } = await command.output();
      await server.close();
      assertEquals([code, new TextDecoder().decode(stderr), calls, said], [0, "", 410, []]);
    }),
);

Deno.test(
  "A library for aarch64-linux leaves the pixels of an arm64 vkcube, and lets a layer on this processor halve the cube",
  { ignore: NEEDS_ARM64.ignore || NEEDS_PROGRAMS.ignore },
  () =>
    withFolderAsync(async (folder) => {
      const { line, env } = emulating(folder, `${ARM64_ROOT}/usr/bin/vkcube`);
      await using screen = await startXServer("640x480x24", ["-fbdir", folder]);
      const shown = async (frames: number, ...layers: Layer[]) => {
        const seen: Screen[] = [], all = [looking(folder, screen.display, seen), ...layers];
        await using server = await serveLayers({ layers: all, listen: "tcp:127.0.0.1:0", runsOn: "aarch64-linux" });
        const own = { ...Deno.env.toObject(), ...env, DISPLAY: screen.display };
        const args = [...line, "--c", `${frames}`];
        const { code, stderr } = await new Deno.Command("timeout", { args, env: server.environment(own) }).output();
        assertEquals([code, seen.length], [0, 1], new TextDecoder().decode(stderr));
        return seen[0];
      };
      const plain = await shown(1), passed = await shown(1, passing), small = await shown(3, passing, halved);
      assertEquals(passed, plain);
      assertHalved(plain, small);
    }),
);
