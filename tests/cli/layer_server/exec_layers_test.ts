import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { APP, NEEDS_PROGRAMS } from "../../workbench/layer_server/programs.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";
import { startXServer } from "../../support/x_server.ts";
import { exec, layerModule } from "./exec.ts";

Deno.test(
  "cli exec runs vkcube under every layer that ships, and its recording replays",
  NEEDS_PROGRAMS,
  async () => {
    await using server = await startXServer();
    withFolder((folder) => {
      const path = (name: string) => `${folder}/${name}`;
      const rule = { command: "vkCreateSampler", result: "VK_ERROR_OUT_OF_DEVICE_MEMORY", after: 1000 };
      Deno.writeTextFileSync(path("faults.json"), JSON.stringify({ rules: [rule] }));
      Deno.writeTextFileSync(path("limits.json"), JSON.stringify({ limits: { maxImageDimension2D: 4096 } }));
      Deno.mkdirSync(path("spirv"));
      const layers = [
        `trace:${path("trace.jsonl")}`,
        "profile",
        "leaks",
        `limits:${path("limits.json")}`,
        `faults:${path("faults.json")}`,
        `spirv:${path("spirv")}`,
      ];
      const { code, stdout, stderr } = exec(
        folder,
        [...layers.map((layer) => `--layer=${layer}`), `--record=${path("cube.jsonl")}`, "--", "vkcube", "--c", "3"],
        { DISPLAY: server.display },
      );
      assertEquals(code, 0, stdout + stderr);
      assertMatch(stderr, /^Selected GPU 0: .*\n$/); // its own words alone
      assertStringIncludes(stdout, "cube.jsonl: what the program did, to be replayed\n");
      assertMatch(stdout, /^\d+ calls of \d+ commands, .* ms$/m); // below it the ten that took longest, whichever they are
      assertEquals(Deno.readTextFileSync(path("cube.jsonl")).match(/"command":"vkQueuePresentKHR"/g)?.length, 3);
      assertStringIncludes(stdout, "no object was leaked, none is live\n");
      assertStringIncludes(Deno.readTextFileSync(path("trace.jsonl")), '"vkQueuePresentKHR"');
      assertEquals([...Deno.readDirSync(path("spirv"))].filter(({ name }) => name.endsWith(".spv")).length, 2);
      const replayed = runProgram("cli.ts", ["replay", path("cube.jsonl")], {
        env: { DISPLAY: server.display },
        flags: ["--allow-sys"],
        seconds: 120,
      });
      assertEquals([replayed.code, replayed.stderr], [0, ""]);
      assertMatch(replayed.stdout, /\d+ calls, nothing was read/);
    });
  },
);

Deno.test(
  "cli exec injects faults into programs, and shows them a smaller device",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const write = (name: string, options: unknown) => {
        Deno.writeTextFileSync(`${folder}/${name}.json`, JSON.stringify(options));
        return `--layer=${name}:${folder}/${name}.json`;
      };
      const faults = write("faults", {
        rules: [{ command: "vkCreateBuffer", result: "VK_ERROR_OUT_OF_DEVICE_MEMORY", after: 1, times: 1 }],
      });
      assertEquals(exec(folder, [faults, "--", APP!, "results", "3"]).stdout.split("\n").slice(0, 2), [
        "1024 -2 1024 ",
        "1 fault injected",
      ]);
      const limits = write("limits", {
        limits: { maxImageDimension2D: 1234 },
        hideExtensions: ["VK_KHR_maintenance1"],
      });
      const [plain, smaller] = [[], [limits]].map((layers) => exec(folder, [...layers, "--", "vulkaninfo"]));
      assertEquals([plain.code, smaller.code], [0, 0], smaller.stderr);
      const told = [/maxImageDimension2D += 1234\n/, /VK_KHR_maintenance1 /];
      assertEquals(told.map((each) => [each.test(plain.stdout), each.test(smaller.stdout)]), [
        [false, true],
        [true, false],
      ]);
    }),
);

Deno.test(
  "cli exec --watch puts a saved layer in use while the program runs",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const definition = (bytes: string, also = "") =>
        `onCreate: { VkDevice: () => ({ made: 0 }) },
      onReplace: (old) => old.keep("VkDevice"),
      commands: {
        vkCreateBuffer(next, device, info, ...rest) {
          const made = ++this.state.VkDevice(device).made, read = this.read("VkBufferCreateInfo", info);
          ${also}
          return next(device, this.write("VkBufferCreateInfo", { ...read, size: read.size + ${bytes} }), ...rest);
        },
      }`;
      const later = layerModule(folder, "saved", definition("BigInt(made > 3) * 2048n"));
      const text = Deno.readTextFileSync(later);
      const saving = `if (made === 3) Deno.writeTextFileSync(${JSON.stringify(later)}, ${JSON.stringify(text)});`;
      layerModule(folder, "saved", definition("0n", saving));
      const run = exec(folder, ["--watch", `--layer=${later}`, "--", APP!, "until", "3072"]);
      assertEquals([run.code, run.stdout], [0, "3072 bytes\n"], run.stderr);
      assertStringIncludes(run.stderr, "saved.ts: VK_LAYER_TEST_saved is in use as saved");
    }),
);

Deno.test(
  "cli exec --json prints how the program ended and what layers report, and hands on SIGTERM",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const { code, stdout, stderr } = exec(folder, ["--json", "--layer=leaks", "--", APP!, "buffers", "2"]);
      const data = JSON.parse(stdout);
      assertEquals([code, stderr, data.program, data.code, data.signal], [0, "2048 bytes\n", APP, 0, null]);
      assertEquals([data.connected, data.reports], [1, ["no object was leaked, none is live"]]);
      const ending = layerModule(
        folder,
        "ending",
        `commands: { vkCreateBuffer(next, ...args) {
        Deno.kill(Deno.pid, "SIGTERM");
        return next(...args);
      } }`,
      );
      const ended = exec(folder, ["--json", `--layer=${ending}`, "--layer=leaks", "--", APP!, "until", "1"]);
      assertEquals([ended.code, JSON.parse(ended.stdout).signal], [143, "SIGTERM"]);
      assert(ended.stdout.includes("VkDevice"), ended.stdout);
    }),
);
