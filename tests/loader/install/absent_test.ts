import { assert, assertEquals } from "@std/assert";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../../loader/gen/command_table_gen.js";
import { lavapipePath, swiftshaderPath, vulkanHeaders } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { type ClientRun, compileClient, NEEDS_SYSTEM, runClient, SYSTEM } from "./client.ts";

const app = compileClient("absent_app"), lavapipe = lavapipePath(), swiftshader = swiftshaderPath();
const careful = compileFixture("careful_driver");
const NEEDS = {
  ignore: [needs("Vulkan headers and a C compiler", app), needs("Mesa lavapipe", lavapipe)].some(({ ignore }) =>
    ignore
  ),
};
/** Commands of device extensions that come only with surfaces. */
const OF_SURFACES = /^vkGet(PhysicalDevicePresentRectangles|DeviceGroup(PresentCapabilities|SurfacePresentModes))KHR$/;
/** Commands of VK_KHR_get_surface_capabilities2, which the system's loader gives for VK_KHR_surface alone. */
const UNENABLED = ["vkGetPhysicalDeviceSurfaceCapabilities2KHR", "vkGetPhysicalDeviceSurfaceFormats2KHR"];
/** The program's argument to enable VK_KHR_surface. */
const WITH_SURFACES = 6;

/** The words of the program that asks for all commands: the names it is given something for, and the rest. */
function ask(run: ClientRun): { given: string[]; said: string[] } {
  return withFolder((folder) => {
    const names = `${folder}/names`;
    Deno.writeTextFileSync(names, `${INSTANCE_NAMES} ${DEVICE_NAMES}`.replaceAll(" ", "\n"));
    const { said } = runClient(app!, { ...run, env: { ...run.env, PUMICE_TEST_NAMES: names } });
    const given = said.filter((line) => line.startsWith("given ")).map((line) => line.slice(6));
    return { given, said: said.filter((line) => !line.startsWith("given ")) };
  });
}

/** The commands that the headers of the system have, which are as old as its loader. */
function inHeaders(): Set<string> {
  const headers = ["core", "xlib", "xcb", "wayland", "xlib_xrandr", "win32", "android", "metal"];
  const texts = headers.map((name) => Deno.readTextFileSync(`${vulkanHeaders()}/vulkan/vulkan_${name}.h`));
  return new Set(texts.flatMap((text) => [...text.matchAll(/PFN_(vk\w+)/g)].map(([, name]) => name)));
}

Deno.test("vkGetInstanceProcAddr answers for every command that the C loader answers for, and for no other", {
  ignore: NEEDS.ignore || NEEDS_SYSTEM.ignore,
}, () => {
  const known = inHeaders();
  for (const [what, ofSurfaces] of [[0, 0], [WITH_SURFACES, 3]]) {
    const theirs = new Set(ask({ loader: SYSTEM!, what, driver: lavapipe! }).given);
    assert(theirs.size > 500, `${theirs.size} commands`);
    assertEquals([...theirs].filter((name) => OF_SURFACES.test(name)).length, ofSurfaces);
    for (const loader of ["pumice", `pumice:${lavapipe}`]) {
      const ours = new Set(ask({ loader, what, driver: lavapipe! }).given);
      assertEquals([...theirs].filter((name) => !ours.has(name)), what === WITH_SURFACES ? UNENABLED : []);
      assertEquals([...ours].filter((name) => known.has(name) && !theirs.has(name)), []);
    }
  }
});

Deno.test("a command that no driver has fails on every thread, and says which driver lacks it", {
  ignore: NEEDS.ignore || needs("SwiftShader", swiftshader).ignore,
}, () => {
  for (const loader of ["pumice", `pumice:${lavapipe}`, `pumice:${swiftshader}:${lavapipe}`]) {
    for (const where of ["here", "thread"] as const) {
      const { said } = ask({ loader, where, what: 1, driver: lavapipe! });
      const of = (name: string, driver = lavapipe!) =>
        `[Vulkan Loader] ERROR:          ${name}: nothing is done: it is no ` +
        `command of ${driver}, or the extension that brings it was not enabled`;
      const told = (name: string, result: number, driver?: string) => `${name}: ${result}, heard: ${of(name, driver)}`;
      const shown = loader.includes(swiftshader!) ? said.map((line) => line.replace(swiftshader!, lavapipe!)) : said;
      assertEquals(shown, [
        "nothing: 0, heard: ",
        told("vkCreateSwapchainKHR", -7),
        told("vkDestroySwapchainKHR", 0),
        told("vkQueuePresentKHR", -7),
        told("vkGetBufferDeviceAddressEXT", 0),
        told(
          "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR",
          -7,
          loader === `pumice:${lavapipe}` ? undefined : "any driver",
        ),
      ]);
    }
  }
});

Deno.test("messengers and the log hear on every thread which commands are not there", NEEDS, () => {
  const text = `vkCreateSwapchainKHR: nothing is done: it is no command of ${lavapipe}, ` +
    "or the extension that brings it was not enabled";
  const written = `vkCreateSwapchainKHR: -7, heard: [Vulkan Loader] ERROR:          ${text}`;
  for (const loader of ["pumice", `pumice:${lavapipe}`]) {
    for (const where of ["here", "thread"] as const) {
      const { said } = ask({
        loader,
        where,
        what: 5,
        driver: lavapipe!,
        env: { PUMICE_TEST_LOG: "vkCreateSwapchainKHR" },
      });
      const [first, second] = [`messenger 1000: ${text}`, written],
        told = where === "here" ? [first, second] : [second, first];
      assertEquals([loader, where, ...said], [loader, where, ...told, written, `log: ${text}`, `log: ${text}`]);
    }
  }
});

Deno.test("vkGetDeviceProcAddr is the exported function, whoever is asked, as with the C loader", {
  ignore: NEEDS.ignore || NEEDS_SYSTEM.ignore,
}, () => {
  for (const loader of [SYSTEM!, "pumice", `pumice:${lavapipe}`]) {
    const { said } = ask({ loader, what: 2, driver: lavapipe! });
    assertEquals([loader, ...said], [loader, "of the instance 1, of the device 1, working 1"]);
  }
});

Deno.test("a command that the driver of a device lacks fails on every thread, and says so on standard error", {
  ignore: NEEDS.ignore || needs("SwiftShader", swiftshader).ignore,
}, () => {
  const name = "vkGetPhysicalDeviceFragmentShadingRatesKHR";
  const heard = `[Vulkan Loader] ERROR:          ${name}: the driver of this physical device does not have it`;
  for (const where of ["here", "thread"] as const) {
    const { said } = ask({ loader: `pumice:${lavapipe}:${swiftshader}`, where, what: 3 });
    assertEquals([where, ...said], [where, `${name}: -7, heard: ${heard}`]);
  }
});

Deno.test("a command that only the driver knows is found on every thread, as by the C loader", {
  ignore: NEEDS.ignore || needs("C compiler (cc)", careful).ignore || NEEDS_SYSTEM.ignore,
}, () => {
  for (const loader of [SYSTEM!, "pumice", `pumice:${careful}`, `pumice:${lavapipe}:${careful}`]) {
    for (const where of ["here", "thread"] as const) {
      const { said } = ask({ loader, where, what: 4, driver: careful! });
      assertEquals([loader, where, ...said], [loader, where, "secret 105, nobody's 0, of the device 106"]);
    }
  }
});

Deno.test("exported queries of surfaces work with VK_KHR_surface alone, on every thread, as with the C loader", {
  ignore: NEEDS.ignore || NEEDS_SYSTEM.ignore || needs("SwiftShader", swiftshader).ignore,
}, () => {
  const exported = compileClient("exported_app")!;
  for (const loader of [SYSTEM!, "pumice"]) {
    for (const where of ["here", "thread"] as const) {
      const run = { loader, where, what: Number(loader === SYSTEM), driver: swiftshader! };
      const { said } = runClient(exported, { ...run, env: { PUMICE_TEST_LOADER: SYSTEM! } });
      const worked = ["surface 0", "formats2 0, the same 1", "capabilities2 0, the same 1"];
      assertEquals([loader, where, ...said], [loader, where, ...worked]);
    }
  }
});
