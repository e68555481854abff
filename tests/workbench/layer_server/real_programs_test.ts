import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { serveLayers } from "../../../workbench/layers.ts";
import { defineLayer } from "../../../loader/mod.ts";
import { onPath } from "../../../tools/setup/files.ts";
import { glfwPath, sdlPath, validationManifest } from "../../../tools/setup/parts.ts";
import { compileProgram } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { startXServer } from "../../support/x_server.ts";
import { dirname } from "node:path";
import { APP, NEEDS_PROGRAMS, runServed } from "./programs.ts";

const WINDOW = NEEDS_PROGRAMS.ignore ? "" : compileProgram("elsewhere_window")!;

/** Hooks every command, passes on, and notes what was called. */
function passing() {
  const called = new Map<string, number>();
  const layer = defineLayer({
    name: "VK_LAYER_TEST_passing",
    anyCommand: (name) => (next, ...args) => {
      called.set(name, (called.get(name) ?? 0) + 1);
      return next(...args);
    },
  });
  return { called, layer };
}

/** Clears images to another colour than the program wants. */
const otherwise = defineLayer({
  name: "VK_LAYER_TEST_otherwise",
  commands: {
    vkCmdClearColorImage(next, commandBuffer, image, layout, pColor, count, pRanges) {
      const { float32: [red, , , alpha] } = this.read("VkClearColorValue", pColor) as { float32: number[] };
      const colour = this.write("VkClearColorValue", { float32: [red, 1, 0, alpha] });
      next(commandBuffer, image, layout, colour, count, pRanges);
    },
  },
});

for (const [name, path] of [["sdl", sdlPath], ["glfw", glfwPath]] as const) {
  Deno.test(
    `serveLayers(): a program of ${name.toUpperCase()} draws as without layers, and as one that draws otherwise tells`,
    { ignore: NEEDS_PROGRAMS.ignore || needs(name.toUpperCase(), path()).ignore },
    async () => {
      await using display = await startXServer();
      const { layer, called } = passing();
      for (const [layers, colour] of [[[layer], "51,102,204"], [[layer, otherwise], "51,255,0"]] as const) {
        await using server = await serveLayers({ layers });
        const { code, stdout, stderr } = await runServed(server, [WINDOW, name], { DISPLAY: display.display });
        assertEquals([code, stdout, stderr], [0, `${name}: ${colour} .. ${colour}\n`, ""]);
      }
      assertEquals(called.get("vkQueuePresentKHR"), 6);
    },
  );
}

Deno.test(
  "serveLayers(): OpenGL by zink is what it is without layers",
  { ignore: NEEDS_PROGRAMS.ignore || !onPath("glxinfo") },
  async () => {
    await using display = await startXServer();
    const more = { DISPLAY: display.display, GALLIUM_DRIVER: "zink", LIBGL_ALWAYS_SOFTWARE: "1" };
    const { layer, called } = passing(), outputs: string[] = [];
    for (const layers of [[], [layer]]) {
      await using server = await serveLayers({ layers });
      const { code, stdout, stderr } = await runServed(server, ["glxinfo"], more);
      assertEquals(code, 0, stderr);
      outputs.push(stdout);
    }
    assertMatch(outputs[0], /renderer string: zink/);
    assertEquals(outputs[1], outputs[0]);
    assert(called.get("vkCreateDevice")! > 0);
  },
);

Deno.test(
  "serveLayers(): mpv plays to the end by Vulkan",
  { ignore: NEEDS_PROGRAMS.ignore || !onPath("mpv") },
  async () => {
    await using display = await startXServer();
    const { layer, called } = passing();
    let device = "";
    const naming = defineLayer({
      name: "VK_LAYER_TEST_naming",
      commands: {
        vkGetPhysicalDeviceProperties(next, gpu, pProperties) {
          next(gpu, pProperties);
          device = this.read("VkPhysicalDeviceProperties", pProperties).deviceName;
        },
      },
    });
    await using server = await serveLayers({ layers: [layer, naming] });
    await runServed(server, ["vulkaninfo", "--summary"]);
    const video = "av://lavfi:testsrc=size=160x120:rate=25:duration=1";
    const way = ["--vo=gpu", "--gpu-api=vulkan", "--gpu-context=x11vk", `--vulkan-device=${device}`];
    const played = await runServed(server, [
      "mpv",
      "--no-config",
      "--ao=null",
      ...way,
      "--framedrop=no",
      "--frames=6",
      video,
    ], {
      DISPLAY: display.display,
    });
    assertEquals(played.code, 0, played.stdout + played.stderr);
    assertStringIncludes(played.stdout, "VO: [gpu] 160x120");
    assert(called.get("vkQueuePresentKHR")! >= 5, `${called.get("vkQueuePresentKHR")} frames`);
  },
);

Deno.test(
  "serveLayers() stands above and below Khronos's validation, which has nothing to say",
  { ignore: NEEDS_PROGRAMS.ignore || needs("Khronos validation layer", validationManifest()).ignore },
  async () => {
    await using display = await startXServer();
    const { layer, called } = passing();
    await using server = await serveLayers({ layers: [layer] });
    const folder = dirname(validationManifest()!), validation = "VK_LAYER_KHRONOS_validation";
    for (const order of [[server.name, validation], [validation, server.name]]) {
      called.clear();
      const more = { DISPLAY: display.display, VK_ADD_LAYER_PATH: folder };
      const environment = server.environment(more);
      assertStringIncludes(environment.VK_ADD_LAYER_PATH, server.folder);
      const names = order.join(":");
      for (const line of [[APP!, "threads", "2"], ["vkcube", "--c", "2"]]) {
        const { code, stdout, stderr } = await runServed(server, line, more, names);
        assertEquals([code, stdout], [0, line[0] === APP ? "200 buffers\n" : ""], stderr);
        assert(!stderr.includes("VUID"), stderr);
      }
      assertEquals(called.get("vkQueuePresentKHR"), 2, names);
    }
  },
);
