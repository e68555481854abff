import { assertEquals } from "@std/assert";
import { glfwPath, lavapipePath, sdlPath, swiftshaderPath, xvfbPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { startXServer } from "../../support/x_server.ts";
import { runCounted } from "./run_counted.ts";

const NEEDS_SERVER = needs("Mesa lavapipe", lavapipePath()).ignore ||
  needs("X server without a screen", xvfbPath()).ignore;
/** The script's own calls on the surface that native code made. */
const DRAWN = { vkCreateInstance: 1, vkCreateSwapchainKHR: 1, vkQueuePresentKHR: 3, vkDestroyInstance: 1 };

/** Runs a program that opens a window; checks that frames were shown and which of the commands of `wanted` were counted. */
async function run(
  program: string,
  library: string,
  wanted: Record<string, number>,
  drivers = lavapipePath()!,
): Promise<void> {
  await using server = await startXServer();
  const { presented, size, mapped, counts } = runCounted(program, [drivers, library], {
    env: { DISPLAY: server.display, SDL_VIDEODRIVER: "x11" },
  });
  assertEquals([presented, size, mapped], [3, [320, 200], 0]);
  const seen = Object.keys({ ...DRAWN, ...wanted }).map((name) => [name, counts[name]]);
  assertEquals(Object.fromEntries(seen), { ...DRAWN, ...wanted });
}

Deno.test("SDL's window and surface run through a TypeScript layer", {
  ignore: NEEDS_SERVER || needs("SDL", sdlPath()).ignore,
}, async () => {
  await run("sdl", sdlPath()!, { vkEnumerateInstanceExtensionProperties: 2, vkCreateXlibSurfaceKHR: 1 });
});

Deno.test("GLFW's window and surface run through a TypeScript layer", {
  ignore: NEEDS_SERVER || needs("GLFW", glfwPath()).ignore,
}, async () => {
  const support = "vkGetPhysicalDeviceXcbPresentationSupportKHR";
  await run("glfw", glfwPath()!, { [support]: 1, vkCreateXcbSurfaceKHR: 1, vkDestroySurfaceKHR: 1 });
});

for (const [title, program, library] of [["SDL's", "sdl", sdlPath()], ["GLFW's", "glfw", glfwPath()]] as const) {
  Deno.test(`${title} window and surface reach the driver that draws, of several`, {
    ignore: NEEDS_SERVER || needs(title, library).ignore || needs("SwiftShader", swiftshaderPath()).ignore,
  }, async () => {
    await run(program, library!, { vkDestroyInstance: 1 }, `${swiftshaderPath()!}:${lavapipePath()!}`);
  });
}
