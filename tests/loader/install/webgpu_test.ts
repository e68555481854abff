import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { manifestIn } from "../../support/pasted.ts";
import { needs } from "../../support/require.ts";
import { run as runCommand } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";
import { withMachine } from "../layers/choice/layer_machine.ts";
import { runCounted } from "./run_counted.ts";

const FLAGS = { flags: ["--unstable-webgpu", "--v8-flags=--expose-gc"] };

/** Runs WebGPU on a driver, through native layers if any are named; checks the answer and returns what was counted. */
function run(driver: string, name: string, ...below: string[]): Record<string, number> {
  return runIn({}, driver, name, ...below);
}

function runIn(env: Record<string, string>, driver: string, name: string, ...below: string[]): Record<string, number> {
  const { adapters, right, mapped, counts } = runCounted("webgpu", [driver, ...below], { ...FLAGS, env });
  for (const adapter of adapters as string[]) assert(adapter.includes(name), adapter);
  assertEquals([right, mapped], [true, 0]);
  const { vkCreateInstance, vkCreateDevice, vkCreateComputePipelines, vkCmdDispatch } = counts;
  assertEquals([vkCreateInstance, vkCreateDevice, vkCmdDispatch], [1, 3, 3]);
  assert(vkCreateComputePipelines >= 3 && counts.vkQueueSubmit >= 3);
  return counts;
}

Deno.test("Deno's WebGPU runs through a TypeScript layer", needs("Mesa lavapipe", lavapipePath()), () => {
  const counts = run(lavapipePath()!, "llvmpipe");
  // Commands that may be called while garbage is collected are not seen, or the process would have ended.
  assertEquals([counts.vkDestroyBuffer, counts.vkDestroyDevice, counts.vkBeginCommandBuffer], Array(3).fill(undefined));
});

Deno.test("Deno's WebGPU runs on SwiftShader, too", needs("SwiftShader and ANGLE", swiftshaderPath()), () => {
  run(swiftshaderPath()!, "SwiftShader");
});

Deno.test("Deno's WebGPU runs on several drivers behind one", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore || needs("SwiftShader", swiftshaderPath()).ignore,
}, () => {
  run(`${lavapipePath()!}:${swiftshaderPath()!}`, "");
});

Deno.test("Deno's WebGPU runs behind Android's driver level", needs("Mesa lavapipe", lavapipePath()), () => {
  run(`android:${lavapipePath()}`, "llvmpipe");
});

Deno.test("Deno's WebGPU runs through a TypeScript layer and validation", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore ||
    needs("Khronos validation layer", validationManifest()).ignore,
}, () => {
  for (const driver of [lavapipePath()!, `android:${lavapipePath()}`]) {
    run(driver, "llvmpipe", "VK_LAYER_KHRONOS_validation");
  }
});

Deno.test("Deno's WebGPU runs through a TypeScript layer below validation", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore ||
    needs("Khronos validation layer", validationManifest()).ignore,
}, () => {
  const counts = run(lavapipePath()!, "llvmpipe", "VK_LAYER_KHRONOS_validation", "TypeScript");
  const below = (command: string) => counts[`below ${command}`];
  assertEquals([below("vkCreateInstance"), below("vkCreateDevice"), below("vkCmdDispatch")], [1, 3, 3]);
  assertEquals(
    [below("vkDestroyBuffer"), below("vkDestroyDevice"), below("vkBeginCommandBuffer")],
    Array(3).fill(undefined),
  );
});

Deno.test(
  "Deno's WebGPU runs through an implicit layer that brings device extensions",
  needs("Mesa lavapipe and a C compiler", lavapipePath() && compileFixture("chain_layer")),
  () => {
    withMachine((machine) => {
      machine.implicit("i", { layer: { device_extensions: [{ name: "VK_TEST_i", spec_version: "1" }] } });
      const log = `${machine.folder}/log`;
      runIn({ XDG_DATA_HOME: machine.folder, CHAIN_LOG: log }, lavapipePath()!, "llvmpipe", "implicit");
      assertStringIncludes(Deno.readTextFileSync(log), "create device"); // the layer was there
    });
  },
);

for (
  const [title, permissions] of [
    ["all permissions", ["-A"]],
    ["permissions in part", ["--allow-ffi", "--allow-read", "--allow-env=HOME,XDG_*,VK_*"]],
  ] as const
) {
  Deno.test(
    `Deno's WebGPU runs on the driver that the search finds, with ${title}`,
    needs("Mesa lavapipe", lavapipePath()),
    () => {
      withFolder((folder) => {
        const flags = ["--no-prompt", "--no-check", "--unstable-webgpu", "--import-map=tools/offline_import_map.json"];
        const program = "tests/loader/install/programs/webgpu_found.ts";
        const env = { VK_DRIVER_FILES: manifestIn(folder, lavapipePath()!), NO_COLOR: "1" };
        const { code, stdout, output } = runCommand(Deno.execPath(), ["run", ...flags, ...permissions, program], {
          env,
        });
        assertEquals(code, 0, output);
        const names = stdout.trim().split("\n");
        assertEquals([names.length, names.every((name) => name.includes("llvmpipe"))], [3, true], output);
      });
    },
  );
}
