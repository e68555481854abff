import { assertEquals } from "@std/assert";
import { defineGlesLayer, type GlesLayer } from "../../../../egl/mod.ts";
import { type GlesLayerServer, serveGlesLayers } from "../../../../workbench/gles_layers.ts";
import { needs } from "../../../support/require.ts";
import { drivers } from "../../../egl/drivers.ts";

const ROOT = decodeURIComponent(new URL("../../../../", import.meta.url).pathname);

/** Runs the program, with the layer of a server or without, while the server answers. */
async function draw(driver: string, server: GlesLayerServer | undefined, ...work: string[]) {
  const permissions = ["ffi", "read", "write", "env", "run"].map((name) => `--allow-${name}`);
  const program = `${ROOT}tests/workbench/layer_server/gles/program.ts`;
  const args = ["120", Deno.execPath(), "run", "--no-prompt", "--no-check", ...permissions];
  args.push(`--import-map=${ROOT}tools/offline_import_map.json`, program, driver, server?.library ?? "", ...work);
  const { code, stdout, stderr } = await new Deno.Command("timeout", { args, env: { NO_COLOR: "1" } }).output();
  const [out, said] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assertEquals([code, said], [0, ""], out);
  return JSON.parse(out);
}

for (const { name, part, found } of drivers) {
  const here = needs(`${part}, on x86-64`, found && Deno.build.arch === "x86_64");

  Deno.test(
    `serveGlesLayers(): a layer that passes on sees every argument, and pixels stay, on ${name}`,
    here,
    async () => {
      const alone = await draw(name, undefined, "scene"), seen: Record<string, unknown[][]> = {}, texts: string[] = [];
      const layer = defineGlesLayer({
        name: "seeing",
        commands: {
          glShaderSource(next, shader, count, strings, lengths) {
            texts.push(this.readString(new DataView(this.read(strings, 8).buffer).getBigUint64(0, true)));
            next(shader, count, strings, lengths);
          },
        },
        anyCommand: (command) => (next, ...args) => {
          (seen[command] ??= []).push(args);
          return next(...args);
        },
      });
      await using server = await serveGlesLayers({ layers: [layer] });
      assertEquals(await draw(name, server, "scene"), alone);
      assertEquals(seen.glClearColor, [[0, 0, 1, 1]]);
      assertEquals(seen.glUniform4f.map((args) => args.slice(1)), [[0, 1, 0, 1]]);
      assertEquals([seen.glDrawArrays, texts.length], [[[4, 0, 3]], 2]);
      assertEquals(texts.every((text) => text.includes("void main")), true, texts.join());
      assertEquals(server.connected, 1);
    },
  );

  Deno.test(`serveGlesLayers(): a layer changes colours and sizes as told on ${name}`, here, async () => {
    const layer: GlesLayer = defineGlesLayer({
      name: "changing",
      commands: {
        glClearColor: (next, red, green, blue, alpha) => next(blue, green, red / 2 + 0.25, alpha),
        glDrawArrays(next, ...args) {
          this.below.glViewport(0, 0, 8, 8);
          next(...args);
        },
      },
    });
    await using server = await serveGlesLayers({ layers: [layer] });
    const { pixels, floats, side } = await draw(name, server, "scene");
    assertEquals(floats, [1, 0, 0.25, 1]);
    const at = (x: number, y: number) => pixels.slice(4 * (y * side + x), 4 * (y * side + x) + 4);
    assertEquals([at(1, 1), at(12, 12)], [[0, 255, 0, 255], [255, 0, 64, 255]]);
  });
}
