import { assert, assertEquals, assertMatch } from "@std/assert";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";
import { writeManifest } from "../driver/machine.ts";
import { LayerMachine, layerName } from "../layers/choice/layer_machine.ts";
import { NEEDS_TINY, TINY } from "../tiny.ts";
import { compileClient, NEEDS_SYSTEM, runClient, SYSTEM } from "./client.ts";

const app = compileClient("messages_app");
const COMPILED = { ignore: needs("Vulkan headers and a C compiler", app).ignore || NEEDS_TINY.ignore };
const WARNING = 0x100, ERROR = 0x1000, INFO = 0x10;

/** The messages on a machine with three layers, one of which a variable turns off, and a broken one. */
function heard(loader: string, where: "here" | "thread"): { lines: readonly string[]; folder: string } {
  return withFolder((folder) => {
    const machine = new LayerMachine(folder), library_path = `${folder}/plain.so`;
    Deno.copyFileSync(compileFixture("plain_layer")!, library_path);
    for (const short of ["on", "off"]) machine.explicit(short, { layer: { library_path, api_version: "1.3.0" } });
    machine.implicit("broken", { layer: { library_path: "/nowhere/libVkLayer_broken.so" } });
    const env = {
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: "/nowhere",
      XDG_CONFIG_DIRS: "/nowhere",
      XDG_DATA_DIRS: "/nowhere",
      VK_INSTANCE_LAYERS: `${layerName("on")}:${layerName("missing")}`,
      VK_LOADER_LAYERS_DISABLE: layerName("off"),
      VK_DRIVER_FILES: writeManifest(`${folder}/tiny.json`, TINY!),
    };
    const lines = runClient(app!, { loader, where, env }).said;
    return { lines: lines.map((line) => line.replace(/version "([\d.]+)"/, "version $1")), folder };
  });
}

/** Messages of the first instance, then those of the three that fail, each with its severity. */
function expected(folder: string): readonly (readonly [severity: number, text: string])[][] {
  const layers = `${folder}/vulkan`, on = `"${layerName("on")}"`;
  return [
    [
      [INFO, `Found manifest file ${layers}/explicit_layer.d/on.json (file version 1.2.0)`],
      [INFO, `Found ICD manifest file ${folder}/tiny.json, version 1.0.0`],
      [WARNING, `env var 'VK_INSTANCE_LAYERS' defined and adding layers "${layerName("on")}:${layerName("missing")}"`],
      [
        WARNING,
        `Layer "${
          layerName("off")
        }" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.`,
      ],
      [INFO, `Insert instance layer ${on} (${folder}/plain.so)`],
    ],
    [[ERROR, "loader_validate_layers: Layer 0 does not exist in the list of available layers"]],
    [],
    [
      [WARNING, `Driver "tiny.json" ignored because not selected by env var 'VK_LOADER_DRIVERS_SELECT'`],
      [ERROR, "vkCreateInstance: Found no drivers!"],
    ],
  ];
}

/** The messages that only newer C loaders say, or say otherwise. */
function expectedOfOurs(): readonly (readonly [severity: number, text: string])[] {
  return [
    [ERROR, `Layer "${layerName("missing")}" was not found but was requested by env var VK_INSTANCE_LAYERS!`],
    [INFO, `Requested layer "${layerName("broken")}" failed to load.`],
    [
      ERROR,
      "loader_validate_instance_extensions: Extension VK_TEST_nothing not found in list of known instance extensions.",
    ],
  ];
}

/** The lines up to each result. */
function byInstance(lines: readonly string[]): { said: string[]; result: string }[] {
  const parts = lines.join("\n").split(/^result /m), results = parts.slice(1).map((part) => part.split("\n")[0]);
  return results.map((result, index) => ({ said: parts[index].split("\n"), result }));
}

function isHeard(said: readonly string[], severity: number, text: string): boolean {
  return said.includes(`utils ${severity.toString(16)} Loader Message: ${text}`);
}

Deno.test("native code hears what the loader looked at, in the Khronos loader's words", COMPILED, () => {
  for (const where of ["here", "thread"] as const) {
    const { lines, folder } = heard("pumice", where), instances = byInstance(lines);
    assertEquals(instances.map(({ result }) => result), ["0", "-6", "-7", "-9"]);
    for (const [index, messages] of expected(folder).entries()) {
      for (const [severity, text] of messages) assert(isHeard(instances[index].said, severity, text), text);
    }
    for (const [severity, text] of expectedOfOurs()) assert(isHeard(lines, severity, text), text);
    const reported = lines.filter((line) => line.startsWith("report ")).map((line) => line.slice(0, 9));
    assert(reported.length >= 3 && reported.every((line) => line === "report 8:"), reported.join());
  }
});

Deno.test("the system's loader says the same", { ignore: COMPILED.ignore || NEEDS_SYSTEM.ignore }, () => {
  const { lines, folder } = heard(SYSTEM!, "here"), instances = byInstance(lines);
  assertEquals(instances.map(({ result }) => result), ["0", "-6", "-7", "-9"]);
  for (const [index, messages] of expected(folder).entries()) {
    for (const [severity, text] of messages) {
      assert(isHeard(instances[index].said, severity, text), text);
    }
  }
});

Deno.test("native code is told which layer changed what it must not change", COMPILED, () => {
  withFolder((folder) => {
    const machine = new LayerMachine(folder), VK_LAYER_PATH = machine.explicit("a", { flags: "+change21" });
    const env = { VK_LAYER_PATH, VK_INSTANCE_LAYERS: layerName("a"), CHAIN_LOG: `${folder}/log` };
    const args = [`pumice:${TINY}`, "here", app!, "0"];
    const { stdout, stderr } = runProgram("tests/loader/install/programs/client.ts", args, { env, seconds: 100 });
    assertEquals(stdout.split("\n").find((line) => line.startsWith("result")), "result -9");
    assertMatch(stderr, /\[Vulkan Loader\] ERROR: .*changed \*pInstance .*\(Policy #LLP_LAYER_21\)/);
  });
});
