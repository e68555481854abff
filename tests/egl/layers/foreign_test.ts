import { assertEquals, assertThrows } from "@std/assert";
import { defineGlesLayer, type ForeignThreadPolicy, type GlesForeignCall } from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { takeFault } from "../../../ffi/error.ts";
import { invokeAddress } from "../../../ffi/invoke.ts";
import { Library } from "../../../ffi/library/library.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { openContext } from "../context.ts";
import { drivers, mesa } from "../drivers.ts";
import { changedDriver } from "../fake_driver.ts";
import { until } from "../../support/until.ts";

const fixture = compileFixture("ffi");

for (const driver of drivers) {
  const part = needs(`${driver.part}, and a C compiler`, driver.found && fixture !== undefined);

  for (const policy of ["skip", "record"] as const) {
    Deno.test(`calls of other threads go past hooks with "${policy}" on ${driver.name}`, part, () => {
      const recorded: GlesForeignCall[] = [], hooked: number[] = [];
      {
        using opened = openContext(driver, [2, 0], { layers: [layer(policy, hooked, recorded)] });
        using library = Library.open(fixture!);
        const elsewhere = (command: string, argument: bigint) =>
          invokeAddress(library.require("call_result_on_thread"), "s:qq", [
            opened.egl.eglGetProcAddress(command),
            argument,
          ]);
        assertEquals(opened.gl.glIsEnabled(g.GL_BLEND), true);
        assertEquals(elsewhere("glIsEnabled", BigInt(g.GL_DITHER)), 0); // there is no context on that thread
        assertEquals(elsewhere("eglQueryAPI", 0n), 0x30A0); // the driver's own answer: EGL_OPENGL_ES_API
        assertEquals(invokeAddress(opened.egl.eglGetProcAddress("glIsEnabled"), "w:w", [g.GL_BLEND]), 1);
        assertEquals(hooked, [g.GL_BLEND, g.GL_BLEND]);
      }
      const calls = recorded.map(({ command, args }) => ({ command, cap: args[0] }));
      assertEquals(calls, policy === "record" ? [{ command: "glIsEnabled", cap: g.GL_DITHER }] : []);
    });
  }

  Deno.test(`calls of other threads wait for hooks with "block" on ${driver.name}`, part, async () => {
    const hooked: number[] = [];
    using opened = openContext(driver, [2, 0], { layers: [layer("block", hooked, [])] });
    using library = Library.open(fixture!);
    const address = opened.egl.eglGetProcAddress("glIsEnabled");
    invokeAddress(library.require("start_on_thread"), "v:qq", [address, BigInt(g.GL_DITHER)]);
    while (invokeAddress(library.require("done"), "w:", []) === 0) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assertEquals([invokeAddress(library.require("loose_result"), "s:", []), hooked], [1, [g.GL_DITHER]]);
  });
}

Deno.test("drain() tells of recorded calls at once, and lostCalls of those without room", {
  ...needs(`${mesa.part}, and a C compiler`, mesa.found && fixture !== undefined),
}, () => {
  const recorded: GlesForeignCall[] = [];
  using opened = openContext(mesa, [2, 0], { layers: [layer("record", [], recorded)], foreignCalls: 2 });
  using library = Library.open(fixture!);
  const { egl } = opened, address = egl.eglGetProcAddress("glIsEnabled");
  const elsewhere = () =>
    invokeAddress(library.require("call_result_on_thread"), "s:qq", [address, BigInt(g.GL_DITHER)]);
  elsewhere();
  assertEquals([egl.drain(), egl.lostCalls, recorded.length, egl.drain()], [1, 0, 1, 0]);
  for (let call = 0; call < 3; call++) elsewhere();
  assertEquals([egl.drain(), egl.lostCalls, recorded.length], [2, 1, 3]);
  assertThrows(() => openContext(mesa, [2, 0], { foreignCalls: 0 }), TypeError, "Cannot use foreignCalls 0");
});

Deno.test("a hook carries out with next() what another thread calls on that thread", {
  ...needs(`${mesa.part}, and a C compiler`, mesa.found && fixture !== undefined),
}, async () => {
  const passing = defineGlesLayer({
    name: "passing",
    onForeignThread: "block",
    commands: { glIsEnabled: (next, cap) => next(cap) },
  });
  using opened = openContext(mesa, [2, 0], { layers: [passing] });
  using library = Library.open(fixture!);
  const address = opened.egl.eglGetProcAddress("glIsEnabled");
  assertEquals(invokeAddress(address, "w:w", [g.GL_DITHER]), 1);
  invokeAddress(library.require("start_on_thread"), "v:qq", [address, BigInt(g.GL_DITHER)]);
  await until("the native thread is done", () => invokeAddress(library.require("done"), "w:", []) !== 0);
  assertEquals(invokeAddress(library.require("loose_result"), "s:", []), 0); // there is no context on that thread
  assertEquals(takeFault(), undefined);
});

for (const isHooked of [false, true]) {
  const what = isHooked ? "behind a hook that they skip" : "without layers";
  Deno.test(`calls of other threads reach the driver ${what}, current or not on the loader's`, {
    ...needs(`${mesa.part}, and a C compiler`, mesa.found && fixture !== undefined),
  }, () => {
    const driver = { ...mesa, open: () => changedDriver(mesa.open(), { glIsEnabled: ["q:w", 1n] }) };
    using opened = openContext(driver, [2, 0], { layers: isHooked ? [layer("skip", [], [])] : [] });
    using library = Library.open(fixture!);
    const address = opened.egl.eglGetProcAddress("glIsEnabled"), argument = BigInt(g.GL_BLEND);
    const elsewhere = () => invokeAddress(library.require("call_result_on_thread"), "s:qq", [address, argument]);
    assertEquals([invokeAddress(address, "w:w", [g.GL_BLEND]), elsewhere()], [1, 1]);
    opened.egl.eglMakeCurrent(opened.display, 0n, 0n, 0n);
    assertEquals([invokeAddress(address, "w:w", [g.GL_BLEND]), elsewhere()], [0, 1]);
  });
}

/** Says of everything that it is enabled. */
function layer(policy: ForeignThreadPolicy, hooked: number[], calls: GlesForeignCall[]) {
  return defineGlesLayer({
    name: "enabled",
    onForeignThread: { glIsEnabled: policy },
    recorded: (call) => calls.push(call),
    commands: {
      glIsEnabled(_next, cap) {
        hooked.push(cap);
        return 1;
      },
    },
  });
}
