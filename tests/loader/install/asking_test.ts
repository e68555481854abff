import { assertEquals } from "@std/assert";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { type LayerMachine, layerName, withMachine } from "../layers/choice/layer_machine.ts";
import { compileClient, NEEDS_SYSTEM, runClient, SYSTEM } from "./client.ts";

const app = compileClient("asking_app"), careful = compileFixture("careful_driver");
const COMPILED = needs("Vulkan headers and a C compiler", app);
const TYPESCRIPT = "VK_LAYER_TEST_ts", UNKNOWN = "VK_LAYER_TEST_nobody";

/** Extensions as manifests have them. */
function extensions(short: string): Record<string, unknown> {
  const named = (level: string) => [{ name: `VK_TEST_${level}_${short}`, spec_version: "1" }];
  return { instance_extensions: named("instance"), device_extensions: named("device") };
}

/** A machine with an explicit layer and an implicit one; `plain` are two libraries for them that the C loader gets on with. */
function withLayers(
  run: (env: Record<string, string>, machine: LayerMachine) => void,
  plain: readonly string[] = [],
): void {
  withMachine((machine: LayerMachine) => {
    const of = (short: string, library?: string) => ({
      ...extensions(short),
      ...library && { library_path: library, functions: undefined },
    });
    machine.explicit("a", { layer: of("a", plain[0]) });
    const pre_instance_functions = plain.length > 0 ? undefined : { vkEnumerateInstanceVersion: "pre_version" };
    machine.implicit("i", {
      layer: { ...of("i", plain[1]), pre_instance_functions },
      top: { file_format_version: "1.1.2" },
    });
    const nowhere = { XDG_CONFIG_HOME: "/nowhere", XDG_CONFIG_DIRS: "/nowhere", XDG_DATA_DIRS: "/nowhere" };
    run(
      { ...nowhere, HOME: machine.folder, XDG_DATA_HOME: machine.folder, CHAIN_LOG: `${machine.folder}/log` },
      machine,
    );
  });
}

/** The answers to a program that asks about both layers and one that nobody knows. */
function told(own: readonly string[]): string[] {
  const both = "0 VK_KHR_swapchain VK_TEST_device_i", of = (short: string) => `of ${layerName(short)}: 0 VK_TEST`;
  return [
    `layers 0 ${2 + own.length}`,
    "instance extensions of NULL: 0 VK_TEST_instance_i",
    "instance extensions of : 0 VK_TEST_instance_i",
    ...["a", "i"].map((short) => `instance extensions ${of(short)}_instance_${short}`),
    ...own.map((name) => `instance extensions of ${name}: 0 VK_TEST_instance_ts`),
    `instance extensions of ${UNKNOWN}: -6`,
    `device layers 0: ${own.map((name) => `${name} `).join("")}VK_LAYER_TEST_i VK_LAYER_TEST_a`,
    ...["NULL", ""].flatMap((name) => [`device extensions of ${name}: ${both}`, "  counted 0 1, room for one: 5 1"]),
    ...["a", "i"].map((short) => `device extensions ${of(short)}_device_${short}\n  counted 0 1, room for one: 0 1`),
    ...own.map((name) => `device extensions of ${name}: 0 VK_TEST_device_ts\n  counted 0 1, room for one: 0 1`),
    `device extensions of ${UNKNOWN}: 0`,
    "  counted 0 1, room for one: 0 0",
  ].flatMap((line) => line.split("\n"));
}

const NAMES = [layerName("a"), layerName("i")];

Deno.test("questions about layers are answered alike on every thread, and by the C loader", COMPILED, () => {
  withLayers((env) => {
    const common = { driver: careful!, env: { ...env, PUMICE_TEST_NAMES: [...NAMES, UNKNOWN].join() } };
    const runs = [["pumice", "here"], ["pumice", "thread"], ...NEEDS_SYSTEM.ignore ? [] : [[SYSTEM!, "thread"]]];
    for (const [loader, where] of runs) {
      const { said } = runClient(app!, { loader, where: where as "here" | "thread", ...common });
      assertEquals({ loader, where, said }, { loader, where, said: told([]) });
    }
  }, ["first", "second"].map((variant) => compileFixture("plain_layer", [], `asked_${variant}`)!));
});

Deno.test(
  "a TypeScript layer's extensions are told, and implicit layers asked first, on every thread",
  COMPILED,
  () => {
    const short = { instanceExtensions: "VK_TEST_instance_ts", deviceExtensions: "VK_TEST_device_ts" };
    const lists = Object.entries(short).map(([key, extensionName]) => [key, [{ extensionName, specVersion: 1 }]]);
    const layer = JSON.stringify({ name: TYPESCRIPT, ...Object.fromEntries(lists) });
    withLayers((env, machine) => {
      const names = { PUMICE_TEST_NAMES: [...NAMES, TYPESCRIPT, UNKNOWN].join(), PUMICE_TEST_LAYER: layer };
      for (const where of ["here", "thread"] as const) {
        const before = machine.log().length;
        const { said } = runClient(app!, { loader: "pumice", where, driver: careful!, env: { ...env, ...names } });
        assertEquals({ where, said }, { where, said: told([TYPESCRIPT]) });
        assertEquals(machine.log().slice(before).filter((line) => line === "i version"), ["i version"]);
      }
    });
  },
);

Deno.test("behind a driver that was named, too, every thread is told the same of layers", COMPILED, () => {
  withLayers((env) => {
    const names = { PUMICE_TEST_NAMES: [...NAMES, UNKNOWN].join() }, loader = `pumice:${careful}`;
    const [here, thread] = (["here", "thread"] as const).map((where) =>
      runClient(app!, { loader, where, env: { ...env, ...names } }).said
    );
    assertEquals(thread, here);
    assertEquals(here.filter((line) => line.includes("VK_LAYER_TEST_a:")), [
      "instance extensions of VK_LAYER_TEST_a: 0 VK_TEST_instance_a",
      "device extensions of VK_LAYER_TEST_a: 0 VK_TEST_device_a",
    ]);
  });
});
