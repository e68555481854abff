import { assert, assertEquals, assertThrows } from "@std/assert";
import { defineGlesLayer, type GlesHook, type GlesLayer, loadEgl } from "../../../egl/mod.ts";
import { DriverError } from "../../../loader/error.ts";
import * as g from "../../../egl/gl.ts";
import { compileFixture } from "../../support/compile.ts";
import { openFiles } from "../../support/open_files.ts";
import { inFrame } from "../../../ffi/arena.ts";
import { openBlocks } from "../../../ffi/block.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { openContext } from "../context.ts";
import { pixel } from "../draw.ts";
import { drivers, mesa } from "../drivers.ts";
import { counting, logged, nativeLayer } from "./layers.ts";

const native = [nativeLayer(1), nativeLayer(2)], other = compileFixture("ffi");
const RED = [255, 0, 0, 255], GREEN = [0, 255, 0, 255];
/** Makes what is red green. */
const greener = defineGlesLayer({
  name: "greener",
  commands: { glClearColor: (next, red, green, blue, alpha) => next(green, red, blue, alpha) },
});

for (const driver of drivers) {
  const part = needs(`${driver.part}, and a C compiler`, driver.found && native[0] !== undefined);

  Deno.test(`attach() and detach() change the layers from the next command on with ${driver.name}`, part, () => {
    using opened = openContext(driver);
    const { gl, egl } = opened;
    const cleared = () => {
      gl.glClearColor(1, 0, 0, 1);
      gl.glClear(g.GL_COLOR_BUFFER_BIT);
      return pixel(gl, 0, 0);
    };
    assertEquals(cleared(), RED);
    egl.attach(greener);
    assertEquals([cleared(), egl.layers], [GREEN, [greener]]);
    const count = counting("count");
    egl.attach(count);
    assertEquals([cleared(), count.calls], [GREEN, ["glClear"]]);
    egl.detach(greener);
    assertEquals([cleared(), count.calls], [RED, ["glClear", "glClear"]]);
    egl.detach(count);
    assertEquals([cleared(), count.calls.length, egl.layers], [RED, 2, []]);
    assertThrows(() => egl.detach(greener), TypeError, "it is not attached");
    egl.attach(greener);
    assertThrows(() => egl.attach(greener), TypeError, "it is attached already");
  });

  Deno.test(`detach() takes a layer out from under a native one with ${driver.name}`, part, () => {
    const count = counting("count");
    const lines = logged(() => {
      using opened = openContext(driver, [2, 0], { layers: [native[0]!, count] });
      opened.gl.glDrawArrays(g.GL_TRIANGLES, 0, 0);
      assertEquals(count.calls, ["eglMakeCurrent", "glDrawArrays"]);
      opened.egl.detach(count);
      opened.gl.glDrawArrays(g.GL_TRIANGLES, 0, 0);
      assertEquals(count.calls.length, 2);
    });
    assertEquals(lines.filter((line) => line.endsWith(" glDrawArrays")).length, 2);
  });

  Deno.test(
    `layers below a native one can be attached and detached where calls pass, with ${driver.name}`,
    part,
    () => {
      const [top, first, below, other] = ["top", "first", "below", "other"].map(counting), path = native[0]!;
      const flushing = defineGlesLayer({ name: "flushing", commands: { glFlush: (next) => next() } });
      logged(() => {
        using opened = openContext(driver, [2, 0], { layers: [path, first] });
        const { egl, gl } = opened, draw = () => gl.glDrawArrays(g.GL_TRIANGLES, 0, 0);
        egl.attach(top);
        egl.attach(below, { below: path });
        assertEquals(egl.layers, [top, path, below, first]);
        draw();
        egl.replace(below, other);
        egl.detach(first);
        assertEquals(egl.layers, [top, path, other]);
        draw();
        const drawn = ({ calls }: { calls: string[] }) => calls.filter((each) => each === "glDrawArrays").length;
        assertEquals([top, first, below, other].map(drawn), [2, 1, 1, 1]);
        const message = "the native layer calls glFlush past this place; list a layer that hooks glFlush there";
        assertThrows(() => egl.attach(flushing, { below: path }), TypeError, message);
        assertThrows(() => egl.replace(other, flushing), TypeError, message);
        assertEquals(egl.layers, [top, path, other]);
        egl.attach(flushing, { above: path });
        assertEquals(egl.layers, [top, flushing, path, other]);
      });
    },
  );

  Deno.test(`an error of a layer reaches the caller, and the layers still work, with ${driver.name}`, part, () => {
    const thrower = defineGlesLayer({
      name: "thrower",
      commands: {
        glDrawArrays() {
          throw new RangeError("no drawing today");
        },
        eglSwapBuffers: () => {
          throw new RangeError("no swapping today");
        },
      },
    });
    for (const layers of [[thrower], [native[0]!, thrower], [greener, native[0]!, native[1]!, thrower]]) {
      logged(() => {
        using opened = openContext(driver, [2, 0], { layers });
        const { gl, egl } = opened;
        assertThrows(() => gl.glDrawArrays(g.GL_TRIANGLES, 0, 3), RangeError, "no drawing today");
        assertThrows(() => egl.eglSwapBuffers(opened.display, opened.surface), RangeError, "no swapping today");
        gl.glClearColor(1, 0, 0, 1);
        gl.glClear(g.GL_COLOR_BUFFER_BIT);
        assertEquals(pixel(gl, 0, 0), layers.includes(greener) ? GREEN : RED);
        assertEquals(gl.glGetError(), g.GL_NO_ERROR);
      });
    }
  });

  Deno.test(`hooks see wrapped handles, read memory and call what lies below with ${driver.name}`, part, () => {
    const seen: unknown[] = [];
    const looker = defineGlesLayer({
      name: "looker",
      commands: {
        glGetUniformLocation(next, program, name) {
          seen.push(this.readString(name), [...this.read(name, 2)], this.below.glGetError());
          return next(program, name);
        },
        eglMakeCurrent(next, display, draw, read, context) {
          const done = next(display, draw, read, context);
          seen.push(context === this.below.eglGetCurrentContext());
          return done;
        },
      },
    });
    using opened = openContext(driver, [2, 0], { layers: [looker] });
    assertEquals(opened.gl.glGetUniformLocation(0, "ab"), -1);
    assertEquals(seen, [true, "ab", [97, 98], 0]);
  });

  Deno.test(
    `hooks write memory for the commands below, which is theirs until they return, with ${driver.name}`,
    part,
    () => {
      const layer = defineGlesLayer({
        name: "writer",
        commands: {
          glClearBufferfv(next, buffer, index) {
            assertThrows(
              () => this.write(7 as never),
              TypeError,
              "Cannot write 7: give bytes, such as a Uint8Array, or a text",
            );
            assertEquals(this.readString(this.write("green")), "green");
            next(buffer, index, this.write(Float32Array.of(0, 1, 0, 1)));
          },
        },
      });
      using opened = openContext(driver, [3, 0], { layers: [layer] });
      const { gl } = opened, top = () => inFrame((memory) => memory.alloc(0)), before = top();
      gl.glClearBufferfv(g.GL_COLOR, 0, [1, 0, 0, 1]);
      assertEquals([pixel(gl, 0, 0), top()], [GREEN, before]);
    },
  );

  Deno.test(`a layer that cannot be used is refused, and nothing stays open, with ${driver.name}`, part, () => {
    logged(() => openContext(driver, [2, 0], { layers: [native[0]!] })[Symbol.dispose]());
    const files = openFiles(), blocks = openBlocks();
    const refused = (layer: string, message: string) => {
      const layers = [native[1]!, layer, native[0]!];
      const error = assertThrows(() => loadEgl({ driver: driver.open(), layers, log: () => {} }), DriverError, message);
      assert(error.path.length > 0);
    };
    withFolder((folder) => {
      Deno.writeTextFileSync(`${folder}/text.so`, "no library");
      Deno.writeFileSync(`${folder}/short.so`, Deno.readFileSync(native[0]!).slice(0, 3000));
      refused(`${folder}/missing.so`, "there is no such file");
      refused(`${folder}/text.so`, "as a GLES layer");
      refused(`${folder}/short.so`, "as a GLES layer");
      refused(folder, "as a GLES layer");
      refused(other!, "it does not export AndroidGLESLayer_Initialize and AndroidGLESLayer_GetProcAddress");
      refused("libnobody_has_this.so", "as a GLES layer");
    });
    assertEquals([openFiles(), openBlocks()], [files, blocks]);
  });
}

const onMesa = needs(mesa.part, mesa.found || undefined);

Deno.test("broken layers that settings name are left out, and the others work", onMesa, () => {
  withFolder((root) => {
    Deno.mkdirSync(`${root}/lib`);
    Deno.writeTextFileSync(`${root}/lib/libbroken.so`, "no library");
    Deno.copyFileSync(native[0]!, `${root}/lib/libgood.so`);
    const app = { packageName: "a", debuggable: true, nativeLibraryDir: "/lib" };
    const settings = {
      enable_gpu_debug_layers: "1",
      gpu_debug_app: "a",
      gpu_debug_layers_gles: "libgood.so:libbroken.so",
    };
    const lines = logged(() => {
      using opened = openContext(mesa, [2, 0], { root, app, settings });
      assertEquals(opened.egl.layers.length, 1);
      const { taken, reason } = opened.egl.explain().find(({ path }) => path.endsWith("libbroken.so"))!;
      assertEquals([taken, reason.includes("as a GLES layer")], [false, true]);
      assert(opened.said.some((line) => line.includes("libbroken.so")));
    });
    assert(lines.includes("glesLayer1: eglChooseConfig"));
  });
});

Deno.test("commands that no layer hooks go where they went before", onMesa, () => {
  using opened = openContext(mesa, [2, 0], { layers: [greener] });
  using bare = openContext(mesa);
  assertEquals(opened.gl.raw.glClear.toString(), bare.gl.raw.glClear.toString());
  assertEquals(opened.egl.eglGetProcAddress("eglNone"), 0n);
});

Deno.test("defineGlesLayer() refuses an invalid layer", () => {
  const wrong = (layer: unknown, message: string) =>
    assertThrows(() => defineGlesLayer(layer as GlesLayer), TypeError, message);
  wrong({}, "without a name");
  wrong({ name: "a", commands: { glClear: 5 } }, "commands.glClear is number");
  wrong(
    { name: "a", commands: { glCleer() {} } },
    "there is no EGL or OpenGL ES command glCleer; did you mean glClear?",
  );
  const hook: GlesHook<"glClear"> = (next, mask) => next(mask);
  assertEquals(defineGlesLayer({ name: "a", commands: { glClear: hook } }).name, "a");
});
