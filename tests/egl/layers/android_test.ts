import { assert, assertEquals } from "@std/assert";
import type { LayeredEgl, LayeredEglOptions } from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { cstring, readCString } from "../../../ffi/cstring.ts";
import { Library } from "../../../ffi/library/library.ts";
import { arena, inFrame } from "../../../ffi/arena.ts";
import { invokeAddress } from "../../../ffi/invoke.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { chooseConfig, openContext } from "../context.ts";
import { drivers, mesa, type TestDriver } from "../drivers.ts";
import { logged, nativeLayer, scene } from "./layers.ts";

const LAYER1 = "libGLES_glesLayer1.so", LAYER2 = "libGLES_glesLayer2.so";
const APP = "org.example.app", TOOL = "org.example.layers";
const ON = { enable_gpu_debug_layers: "1", gpu_debug_app: APP, gpu_debug_layer_app: TOOL };
const BOTH = { ...ON, gpu_debug_layers_gles: `${LAYER1}:${LAYER2}` };
const debuggable = { packageName: APP, debuggable: true };
const native = [nativeLayer(1), nativeLayer(2)];

/** A device with both layers in another package, and what Android's options lack. */
function onDevice(
  driver: TestDriver,
  options: LayeredEglOptions,
  { folder = "/data/app/layers/lib", use = () => {} }: { folder?: string; use?: (egl: LayeredEgl) => void } = {},
): string[] {
  return withFolder((root) => {
    Deno.mkdirSync(root + folder, { recursive: true });
    [LAYER1, LAYER2].forEach((name, index) => Deno.copyFileSync(native[index]!, `${root}${folder}/${name}`));
    const app = { layerPackages: { [TOOL]: "/data/app/layers/lib" }, ...options.app };
    return logged(() => {
      using opened = openContext(driver, [2, 0], { platform: "android", ...options, root, app });
      use(opened.egl);
    });
  });
}

/** The layers whose eglChooseConfig was called, in order: the typed command asks for the number, then for as many. */
function choosing(lines: readonly string[]): string[] {
  const all = lines.filter((line) => line.endsWith(": eglChooseConfig")).map((line) => line.split(":")[0]);
  const once = all.slice(0, all.length / 2);
  assertEquals(all, [...once, ...once]);
  return once;
}

for (const driver of drivers) {
  const part = needs(`${driver.part}, and a C compiler`, driver.found && native[0] !== undefined);

  Deno.test(
    `GL13 and GL16: settings put layers of another package into a debuggable application on ${driver.name}`,
    part,
    () => {
      const lines = onDevice(driver, { settings: BOTH, app: debuggable }, {
        use: (egl) => assertEquals(egl.layers.map((each) => String(each).slice(-LAYER1.length)), [LAYER1, LAYER2]),
      });
      assertEquals(choosing(lines), ["glesLayer1", "glesLayer2"]);
      for (const call of ["eglGetDisplay", "eglInitialize"]) {
        assertEquals(lines.filter((line) => line.endsWith(` ${call}`)), [`glesLayer1: ${call}`, `glesLayer2: ${call}`]);
      }
      for (const layer of ["glesLayer1", "glesLayer2"]) {
        assert(lines.includes(`${layer}: found eglGetProcAddress`));
        assert(lines.includes(`${layer}: did not find eglFoo`));
      }
    },
  );

  Deno.test(`GL16: a release application gets no layers by settings on ${driver.name}`, part, () => {
    const use = (egl: LayeredEgl) => {
      assertEquals(egl.layers, []);
      const { taken, reason } = egl.explain().find(({ path }) => path === "enable_gpu_debug_layers")!;
      assertEquals([taken, /may not be debugged/.test(reason)], [false, true]);
    };
    assertEquals(onDevice(driver, { settings: BOTH, app: { packageName: APP } }, { use }), []);
  });

  Deno.test(`GL16: a release application that permits layers gets them on ${driver.name}`, part, () => {
    const app = { packageName: APP, injectLayers: true };
    assertEquals(choosing(onDevice(driver, { settings: BOTH, app })), ["glesLayer1", "glesLayer2"]);
  });

  Deno.test(`GL14 and GL16: wrong settings load no layer on ${driver.name}`, part, () => {
    const wrong = [
      { ...BOTH, gpu_debug_app: "org.example.other" },
      { ...BOTH, enable_gpu_debug_layers: "0" },
      { ...BOTH, gpu_debug_layers_gles: "foo" },
      {},
    ];
    for (const settings of wrong) assertEquals(onDevice(driver, { settings, app: debuggable }), []);
  });

  Deno.test(`GL15 and GL16: settings have precedence over the property on ${driver.name}`, part, () => {
    const settings = { ...ON, gpu_debug_layers_gles: LAYER1 }, properties = { "debug.gles.layers": LAYER2 };
    assertEquals(choosing(onDevice(driver, { settings, systemProperties: properties, app: debuggable })), [
      "glesLayer1",
    ]);
  });

  Deno.test(
    `GL15: the property counts for release applications too, from their own folders, on ${driver.name}`,
    part,
    () => {
      const properties = { "debug.gles.layers": `${LAYER1}:${LAYER2}` }, own = "/data/app/own/lib";
      const app = { packageName: APP, nativeLibraryDir: own };
      assertEquals(choosing(onDevice(driver, { systemProperties: properties, app }, { folder: own })), [
        "glesLayer1",
        "glesLayer2",
      ]);
      assertEquals(onDevice(driver, { systemProperties: properties, app }), []); // not from a package of others
      assertEquals(onDevice(driver, { systemProperties: properties, app }, { folder: "/data/local/debug/gles" }), []); // nor from there
    },
  );

  Deno.test(`GL11: a debuggable application has the layers of /data/local/debug/gles on ${driver.name}`, part, () => {
    const properties = { "debug.gles.layers": LAYER2 }, folder = "/data/local/debug/gles";
    assertEquals(choosing(onDevice(driver, { systemProperties: properties, app: debuggable }, { folder })), [
      "glesLayer2",
    ]);
  });

  Deno.test(`a missing layer does not affect the other layers on ${driver.name}`, part, () => {
    const settings = { ...ON, gpu_debug_layers_gles: `${LAYER1}:libmissing.so:${LAYER2}` };
    const use = (egl: LayeredEgl) => {
      const { taken, reason, level } = egl.explain().find(({ path }) => path === "libmissing.so")!;
      assertEquals([taken, level, /none of .* holds it/.test(reason)], [false, "warning", true]);
    };
    assertEquals(choosing(onDevice(driver, { settings, app: debuggable }, { use })), ["glesLayer1", "glesLayer2"]);
  });

  Deno.test(`GL12: layers are asked about every command once, with something below it, on ${driver.name}`, part, () => {
    const [path] = native;
    logged(() => {
      using _ = openContext(driver, [2, 0], { layers: [path!] });
      using library = Library.open(path!);
      const call = (name: string) => invokeAddress(library.require(name), "q:", []) as bigint;
      const names = readCString(call("layer_names")).trim().split(" ");
      assertEquals(names.length, new Set(names).size);
      assertEquals(BigInt(names.length), call("layer_asked") & 0xFFFFFFFFn);
      assertEquals(names.slice(0, 80).every((name) => name.startsWith("egl")), true);
      assertEquals(names[80], "glGetString");
      assertEquals(names.slice(86, 91).at(-1), "eglCreateNativeClientBufferANDROID");
      const gl = names.slice(91);
      assertEquals(gl, gl.toSorted());
      assert(
        gl.includes("glMultiDrawElementsBaseVertexOES") && gl.includes("glDrawArrays") && gl.includes("glFrustumf"),
      );
      // Only functions that neither libEGL nor the registry have may have nothing below.
      const without = Number(call("layer_null_next") & 0xFFFFFFFFn);
      assert(without <= 5, `${without} had NULL`);
    });
  });

  Deno.test(`native code that asks eglGetProcAddress goes through layers on ${driver.name}`, part, () => {
    const lines = logged(() => {
      using opened = openContext(driver, [3, 0], { layers: native as string[] });
      const { egl } = opened;
      const draw = egl.eglGetProcAddress("glDrawArrays"), choose = egl.eglGetProcAddress("eglChooseConfig");
      scene(opened.gl);
      invokeAddress(draw, "v:wss", [g.GL_TRIANGLES, 0, 3]);
      const memory = arena(), mark = memory.mark(), count = memory.address(memory.alloc(8));
      assertEquals(invokeAddress(choose, "w:qqqsq", [opened.display, 0n, 0n, 0, count]), 1);
      memory.release(mark);
      opened.gl.glDrawArraysInstanced(g.GL_TRIANGLES, 0, 3, 1);
      assertEquals(opened.gl.glGetError(), g.GL_NO_ERROR);
      assertEquals(egl.eglGetProcAddress("eglFoo"), 0n);
    });
    const of = (name: string) => lines.filter((line) => line.endsWith(`: ${name}`)).map((line) => line.split(":")[0]);
    const both = ["glesLayer1", "glesLayer2"];
    assertEquals(of("glDrawArrays"), [...both, ...both]);
    assertEquals(of("eglChooseConfig"), [...both, ...both, ...both]); // two of them the typed command's
    assertEquals(of("glDrawArraysInstanced"), ["glesLayer1"]);
    assertEquals(of("glBindBuffer"), ["glesLayer2"]);
    assertEquals(of("eglGetProcAddress").length, 7); // once for eglFoo, which the upper layer looked for below itself
    assertEquals(of("glCompileShader"), [...both, ...both]); // two shaders
  });

  Deno.test(`OpenGL ES 1 goes past layers, but EGL and queries don't, on ${driver.name}`, part, () => {
    const lines = logged(() => {
      using opened = openContext(driver, [1, 1], { layers: native as string[] });
      opened.gl.glBindBuffer(g.GL_ARRAY_BUFFER, 0);
      opened.gl.glDrawArrays(g.GL_TRIANGLES, 0, 0);
      assert(/^OpenGL ES(-CM)? 1\.1/.test(opened.gl.glGetString(g.GL_VERSION)));
      assertEquals(chooseConfig(opened.egl, opened.display, 1) !== 0n, true);
    });
    const called = new Set(lines.map((line) => line.split(": ")[1]));
    assertEquals([called.has("glDrawArrays"), called.has("glBindBuffer")], [false, false]);
    assertEquals([called.has("glGetString"), called.has("eglInitialize")], [true, true]);
  });
}

const onMesa = needs(`${mesa.part}, and a C compiler`, mesa.found && native[0] !== undefined);

Deno.test("layers find by name what lies below them at any time", onMesa, () => {
  logged(() => {
    using opened = openContext(mesa, [2, 0], { layers: native as string[] });
    using upper = Library.open(native[0]!);
    using lower = Library.open(native[1]!);
    const next = (library: Library, name: string) => {
      return inFrame((memory) => {
        const found = invokeAddress(library.require("layer_next"), "q:q", [memory.place(cstring(name))]) as bigint;
        return found;
      });
    };
    const mine = next(upper, "glBindBuffer"), drivers = next(lower, "glBindBuffer");
    assert(mine !== 0n && drivers !== 0n && mine !== drivers);
    assertEquals(next(upper, "glLineWidth"), next(lower, "glLineWidth"));
    assertEquals(next(lower, "eglNobodyKnowsThis"), 0n);
    assertEquals(opened.gl.glGetError(), g.GL_NO_ERROR);
  });
});

Deno.test("layers are asked about other commands when these are first found", onMesa, () => {
  const lines = logged(() => {
    using opened = openContext(mesa, [2, 0], { layers: native as string[] });
    const { egl } = opened;
    using upper = Library.open(native[0]!);
    const asked = () => invokeAddress(upper.require("layer_asked"), "s:", []) as number;
    const before = asked(), memory = arena(), mark = memory.mark(), count = memory.address(memory.alloc(8));
    assertEquals(egl.raw.eglQueryDevicesEXT(0, 0n, count), 1);
    assertEquals(invokeAddress(egl.eglGetProcAddress("eglQueryDevicesEXT"), "w:sqq", [0, 0n, count]), 1);
    memory.release(mark);
    assertEquals(asked(), before + 1);
    invokeAddress(egl.eglGetProcAddress("glNobodyKnowsThis"), "v:", []); // Mesa has an address for it
    assertEquals(asked(), before + 2);
    egl.raw.eglGetError();
    egl.eglQueryAPI();
    assertEquals(asked(), before + 2);
  });
  const calls = lines.filter((line) => /eglQueryDevicesEXT|glNobodyKnowsThis/.test(line));
  assertEquals(calls, [..."ee"].map(() => "glesLayer1: eglQueryDevicesEXT").concat("glesLayer1: glNobodyKnowsThis"));
});
