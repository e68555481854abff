import { assertEquals } from "@std/assert";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";
import { writeManifest } from "../driver/machine.ts";
import { LayerMachine, layerName } from "../layers/choice/layer_machine.ts";
import { NEEDS_TINY, TINY } from "../tiny.ts";
import { compileClient, NEEDS_SYSTEM, SYSTEM } from "./client.ts";

const app = compileClient("device_messages_app");
const COMPILED = { ignore: needs("Vulkan headers and a C compiler", app).ignore || NEEDS_TINY.ignore };
const ENDS = ["   <Application>", "     ||", "   <Loader>", "     ||"];
const REFUSED = [
  "loader_validate_device_extensions: Device extension VK_TEST_nothing not supported by selected physical device or enabled layers.",
  "vkCreateDevice: Failed to validate extensions in list",
];

const IGNORED = "loader_create_device_chain: Using deprecated and ignored 'ppEnabledLayerNames' member of " +
  "'VkDeviceCreateInfo' when creating a Vulkan device.";

/** The words when a device is made; `layer` and its manifest where there is one. */
function deviceWords(layer?: { readonly library: string; readonly manifest: string }): string[] {
  const { library, manifest } = layer ?? {}, name = layerName("on");
  return [
    ...(layer ? [`Inserted device layer "${name}" (${library})`] : []),
    "vkCreateDevice layer callstack setup to:",
    ...ENDS,
    ...(layer
      ? [
        `   ${name}`,
        "           Type: Implicit",
        "           Enabled By: Implicit Layer",
        "               Disable Env Var:  OFF_on",
        `           Manifest: ${manifest}`,
        `           Library:  ${library}`,
        "     ||",
      ]
      : []),
    "   <Device>",
    `       Using "Tiny driver" with driver: "${TINY}"`,
  ];
}

/** The words of the program and of standard error with one loader, on one thread. */
function run(loader: string, where: "here" | "thread", folder: string, debug: string) {
  writeManifest(`${folder}/drivers/good.json`, TINY!);
  const nowhere = { XDG_CONFIG_HOME: "/nowhere", XDG_CONFIG_DIRS: "/nowhere", XDG_DATA_DIRS: "/nowhere" };
  const env = { ...nowhere, XDG_DATA_HOME: folder, VK_DRIVER_FILES: `${folder}/drivers`, VK_LOADER_DEBUG: debug };
  const { code, stdout, stderr, output } = runProgram(
    "tests/loader/install/programs/client.ts",
    [loader, where, app!, "0"],
    { env, without: /^VK_/, seconds: 100 },
  );
  assertEquals(code, 0, output);
  return { said: lines(stdout), written: lines(stderr) };
}

/** The lines of a text. Those of older loaders may end in an empty one. */
function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** The messages that one messenger heard, with how loud they were, between two lines of the program. */
function heardBy(who: string, said: readonly string[], from: string, to: string): string[] {
  const part = said.slice(said.indexOf(from) + 1, said.indexOf(to));
  return part.filter((line) => line.startsWith(`${who} `)).map((line) => line.replace(`${who} `, ""));
}

/** Fails unless messengers hear of devices, those alone that were made before, and standard error has it, too. */
function assertSaid(
  loader: string,
  where: "here" | "thread",
  header: string,
  words: readonly string[],
  folder: string,
): void {
  const { said, written } = run(loader, where, folder, "layer,driver,error");
  assertEquals(heardBy("staying", said, "messenger 0", "device 0"), words.map((text) => `10 Loader Message: ${text}`));
  assertEquals(heardBy("passing", said, "messenger 0", "device 0"), []);
  assertEquals(
    heardBy("staying", said, "device 0", "device -7"),
    REFUSED.map((text) => `1000 Loader Message: ${text}`),
  );
  const warned = heardBy("staying", said, "device -7", "with a layer 0").filter((line) => line.startsWith("100 "));
  assertEquals(warned, loader === SYSTEM ? [] : [`100 Loader Message: ${IGNORED}`]); // 1.3.239 does not say so yet
  // Two devices were made.
  const category = loader === SYSTEM ? "DRIVER | LAYER" : "DRIVER"; // newer loaders name one
  for (const text of words.filter((text) => text.startsWith("vkCreateDevice") || text.includes("Using"))) {
    assertEquals(
      written.filter((line) => line === `${`${header}${category}: `.padEnd(header ? 32 : 18)}${text}`).length,
      2,
      text,
    );
  }
}

Deno.test(
  "programs hear which layers and which driver a device is made with, and which extensions nobody has",
  COMPILED,
  () => {
    for (const where of ["here", "thread"] as const) {
      withFolder((folder) => {
        const machine = new LayerMachine(folder), library = `${folder}/plain.so`;
        Deno.copyFileSync(compileFixture("plain_layer")!, library);
        const manifest = machine.implicit("on", { layer: { library_path: library, api_version: "1.3.0" } });
        assertSaid("pumice", where, "[Vulkan Loader] ", deviceWords({ library, manifest }), folder);
      });
    }
    withFolder((folder) => assertSaid("pumice", "here", "[Vulkan Loader] ", deviceWords(), folder));
    const ofNamed = deviceWords().filter((text) => !text.includes("Using"));
    withFolder((folder) => assertSaid(`pumice:${TINY}`, "here", "[Vulkan Loader] ", ofNamed, folder));
  },
);

Deno.test("the system's loader says the same of devices", { ignore: COMPILED.ignore || NEEDS_SYSTEM.ignore }, () => {
  withFolder((folder) => assertSaid(SYSTEM!, "here", "", deviceWords(), folder));
  withFolder((folder) => {
    const machine = new LayerMachine(folder), library = `${folder}/plain.so`;
    Deno.copyFileSync(compileFixture("plain_layer")!, library);
    const manifest = machine.implicit("on", { layer: { library_path: library, api_version: "1.3.0" } });
    const newer = deviceWords({ library, manifest }).filter((text) => !text.includes("Enabled By"));
    assertSaid(SYSTEM!, "here", "", newer, folder);
  });
});

Deno.test("a line of two categories is there if one of them was asked for", COMPILED, () => {
  const loaders = [
    ["pumice", "[Vulkan Loader] DRIVER:         "], // the first of both, as newer loaders; 1.3.239 names what was asked for
    ...NEEDS_SYSTEM.ignore ? [] : [[SYSTEM!, "LAYER:            "]],
  ];
  for (const [loader, header] of loaders) {
    withFolder((folder) => {
      const { written } = run(loader, "here", folder, "layer");
      assertEquals(
        written.filter((line) => line === `${header}vkCreateDevice layer callstack setup to:`).length,
        2,
        loader,
      );
    });
  }
});
