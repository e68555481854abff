import { assertEquals } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { openFiles } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import { openContext, SIDE } from "../context.ts";
import { drivers } from "../drivers.ts";
import { counting, logged, nativeLayer, scene } from "./layers.ts";

const native = [nativeLayer(1), nativeLayer(2)];

for (const driver of drivers) {
  const part = needs(`${driver.part}, and a C compiler`, driver.found && native[0] !== undefined);

  for (const version of [[2, 0], [3, 0]]) {
    Deno.test(
      `layers draw what is drawn without them with OpenGL ES ${version.join(".")} on ${driver.name}`,
      part,
      () => {
        const [one, two, three] = ["one", "two", "three"].map(counting);
        const wanted = using(() => openContext(driver, version));
        using(() => openContext(driver, version, { layers: [native[0]!, one] })); // what stays for good
        const files = openFiles(), blocks = openBlocks();
        const lists = [[], [one], [native[0]!], [one, native[0]!, two, native[1]!, three], [
          native[1]!,
          native[0]!,
          one,
        ]];
        for (const layers of lists) {
          for (const each of [one, two, three]) each.calls.length = 0;
          const lines = logged(() => assertEquals(using(() => openContext(driver, version, { layers })), wanted));
          const seen = ["eglMakeCurrent", "glClear", "glDrawArrays"];
          for (const each of [one, two, three]) {
            assertEquals(each.calls, layers.includes(each) ? seen : [], `${each.name} of ${layers.length}`);
          }
          const draws = lines.filter((line) => line.endsWith(" glDrawArrays")).map((line) => line.slice(0, 10));
          const inOrder = layers.filter((each) => typeof each === "string");
          assertEquals(draws, inOrder.map((path) => path === native[0] ? "glesLayer1" : "glesLayer2"));
        }
        assertEquals([openFiles(), openBlocks()], [files, blocks]);
      },
    );
  }
}

function using(open: () => ReturnType<typeof openContext>): Uint8Array {
  using opened = open();
  const pixels = scene(opened.gl);
  assertEquals(pixels.length, SIDE * SIDE * 4);
  return pixels;
}
