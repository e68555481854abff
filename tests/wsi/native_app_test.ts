import { assertEquals } from "@std/assert";
import { vulkanHeaders } from "../../tools/setup/parts.ts";
import { compileNativeApp } from "../loader/install/native_app.ts";
import { needs } from "../support/require.ts";
import { runProgram } from "../support/subprocess.ts";
import { DRIVERS } from "./adaptor/drawing.ts";

const app = vulkanHeaders() && compileNativeApp("libvulkan.so.1", "window_app"), FRAMES = 100;

for (const [name, driver] of DRIVERS) {
  for (const platform of ["linux", "android"]) {
    Deno.test(`a native program presents ${FRAMES} frames to a window (${name}, ${platform})`, {
      ignore: needs(name, driver).ignore || needs("Vulkan headers and registry", app).ignore,
    }, () => {
      const { code, stdout, output } = runProgram("tests/wsi/programs/window_app.ts", [
        ...[driver!, app!, `${FRAMES}`, platform],
      ]);
      assertEquals(code, 0, output);
      const { result, pixels, mapped } = JSON.parse(stdout.trim().split("\n").at(-1)!);
      const wanted = Array.from({ length: FRAMES }, (_, frame) => 0xff00ff00 + frame);
      assertEquals([result, pixels, mapped], [0, wanted, 0], output);
    });
  }
}
