import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { systemLoaderPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { run } from "../../../support/subprocess.ts";
import { assertCounted, DEMO } from "./counted.ts";
import { aloneWithRenderDoc, DRIVERS, LAYERS, NEEDS_WINDOW, PLACES, reported, runLayered } from "./layers.ts";
import { colours, readBmpColours, readPictures, readPngColours } from "./pictures.ts";
import type { Counts } from "./programs/counter.ts";
import { onSystemLoader } from "./system_loader.ts";
import { withWindows } from "./windows.ts";

const NEEDS_LOADER = needs("system Vulkan loader", systemLoaderPath()).ignore;
const RENDERDOC = "/usr/lib/librenderdoc.so";
const FRAMES = 2;
/** One frame of the demo, copied into a window: one more piece of memory, and one more submission. */
const COPIED: Counts = { ...DEMO, vkMapMemory: DEMO.vkMapMemory + 1, vkQueueSubmit: DEMO.vkQueueSubmit + 1 };

/** A native tool that must succeed; what it printed. */
function tool(name: string, args: readonly string[], env: Record<string, string> = {}): string {
  const { code, output } = run(name, args, { seconds: 120, env });
  assertEquals(code, 0, `${name} ${args.join(" ")}: ${output}`);
  return output;
}

/** The number of times that a text names each of some commands, in the way its format has it. */
function named(text: string, commands: readonly string[], format: (command: string) => string): number[] {
  return commands.map((command) => text.split(format(command)).length - 1);
}

for (const place of PLACES) {
  Deno.test(
    `GFXReconstruct captures the demo, and its player draws the same frames again, a TypeScript layer ${place} it`,
    {
      ignore: NEEDS_WINDOW || NEEDS_LOADER || LAYERS.GFXReconstruct.ignore,
    },
    () =>
      withWindows((folder, DISPLAY) => {
        const capture = `${folder}/demo.gfxr`, { driver } = DRIVERS.lavapipe;
        const env = { DISPLAY, GFXRECON_CAPTURE_FILE: capture, GFXRECON_CAPTURE_FILE_TIMESTAMP: "false" };
        const args = [driver, folder, "96x54", `${FRAMES}`, place, LAYERS.GFXReconstruct.layer];
        const counts: Counts = reported(runLayered("window", args, folder, env));
        assertStringIncludes(tool("gfxrecon-info", [capture]), `Total frames: ${FRAMES}`);
        tool("gfxrecon-convert", ["--output", `${folder}/calls`, capture]);
        const calls = named(
          Deno.readTextFileSync(`${folder}/calls`),
          Object.keys(counts),
          (name) => `"name":"${name}"`,
        );
        assertEquals(calls, Object.values(counts));
        const shots = ["--screenshots", `1-${FRAMES}`, "--screenshot-dir", folder];
        tool("gfxrecon-replay", [...shots, capture], { DISPLAY, ...onSystemLoader(driver, folder) });
        const { drawn } = readPictures(folder);
        assertEquals(readBmpColours(`${folder}/screenshot_frame_${FRAMES}.bmp`), colours(drawn));
      }),
  );

  Deno.test(`RenderDoc captures a frame of the demo that its own programs open, a TypeScript layer ${place} it`, {
    ignore: NEEDS_WINDOW || LAYERS.RenderDoc.ignore,
  }, () =>
    withWindows((folder, DISPLAY) => {
      const program = runLayered("renderdoc", [DRIVERS.lavapipe.driver, folder, RENDERDOC, place], folder, { DISPLAY });
      const { capture, counts } = reported<{ capture: string; counts: Counts }>(program);
      assertCounted(
        counts,
        COPIED,
        place === "below" ? { vkCreateImage: 1, vkMapMemory: 1, vkQueueSubmit: 1 } : {},
        place,
      );
      tool("renderdoccmd", ["thumb", "--out", `${folder}/thumb.png`, capture]);
      assertEquals(readPngColours(`${folder}/thumb.png`), colours(readPictures(folder).drawn));
      tool("renderdoccmd", ["convert", "-f", capture, "-o", `${folder}/calls`, "-c", "xml"]);
      const commands = ["vkCmdDraw", "vkCmdDrawIndexed", "vkCmdDispatch", "vkQueueSubmit", "vkQueuePresentKHR"];
      const calls = named(Deno.readTextFileSync(`${folder}/calls`), commands, (name) => ` name="${name}"`);
      assertEquals(calls, [1, 3, 2, 2, 1]);
    }));
}

Deno.test("RenderDoc plays its capture of the demo back on SwiftShader, and refuses half of it", {
  ignore: NEEDS_WINDOW || NEEDS_LOADER || LAYERS.RenderDoc.ignore || DRIVERS.SwiftShader.ignore,
}, () =>
  withWindows((folder, DISPLAY) => {
    const program = runLayered("renderdoc", [DRIVERS.lavapipe.driver, folder, RENDERDOC, "above"], folder, { DISPLAY });
    const { capture } = reported<{ capture: string }>(program),
      env = onSystemLoader(DRIVERS.SwiftShader.driver, folder);
    const replay = (path: string) =>
      aloneWithRenderDoc(() =>
        run("renderdoccmd", ["replay", "--loops", "1", path], { seconds: 120, env: { DISPLAY, ...env } })
      );
    assertEquals(replay(capture).code, 0);
    Deno.truncateSync(capture, Deno.statSync(capture).size >> 1);
    const { code, output } = replay(capture);
    assert(code !== 0, output);
  }));
