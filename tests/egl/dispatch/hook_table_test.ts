import { assertEquals, assertMatch } from "@std/assert";
import { bindByAddress } from "../../../ffi/stubs.ts";
import { Dispatch } from "../../../egl/dispatch/dispatch.ts";
import { type EntrySource, otherName, resolveAll } from "../../../egl/dispatch/fill.ts";
import { eglCommands, glCommands } from "../../../egl/dispatch/names.ts";
import { needs } from "../../support/require.ts";
import { drivers } from "../drivers.ts";

/** A driver of addresses that nobody calls: those it exports. */
function source(exported: Record<string, bigint>): EntrySource {
  const find = (name: string) => exported[name] ?? 0n;
  return { find, findExported: find };
}

const slot = (name: string) => glCommands.slot(name)!;

Deno.test("otherName() takes OES away or adds it", () => {
  assertEquals([otherName("glFrustumxOES"), otherName("glFrustumx")], ["glFrustumx", "glFrustumxOES"]);
});

Deno.test("a hook table takes a command from its other name when the driver has only that", () => {
  const said: string[] = [];
  const dispatch = new Dispatch(
    source({ glFrustumx: 1n, glMapBufferOES: 2n, glClear: 3n }),
    false,
    (each) => said.push(each),
  );
  const one = dispatch.table(1), two = dispatch.table(2);
  assertEquals(one.bottom(slot("glFrustumxOES")), 1n);
  assertEquals([two.bottom(slot("glMapBufferOES")), two.bottom(slot("glClear"))], [2n, 3n]);
  assertEquals([two.has(slot("glFlush")), two.bottom(slot("glFlush"))], [false, 0n]);
  dispatch.close();
});

Deno.test("a command the driver lacks names itself, at most once a second, and returns 0", () => {
  const said: string[] = [];
  const dispatch = new Dispatch(source({}), false, (each) => said.push(each)), table = dispatch.table(2);
  const call = (name: string) => bindByAddress("w:")(table.addresses[slot(name)]);
  dispatch.name(slot("glGetError"));
  assertEquals([call("glGetError"), call("glGetError"), call("glFlush")], [0, 0, 0]);
  assertEquals(said.length, 1);
  assertMatch(said[0], /called unimplemented OpenGL ES API: the driver has no glGetError; nothing was done/);
  dispatch.close();
});

Deno.test("a command of OpenGL ES 2 alone is not implemented in the table of OpenGL ES 1", () => {
  const said: string[] = [];
  const dispatch = new Dispatch(source({ glCreateShader: 1n }), false, (each) => said.push(each));
  assertEquals([dispatch.table(1).has(slot("glCreateShader")), dispatch.table(2).has(slot("glCreateShader"))], [
    false,
    true,
  ]);
  assertEquals(bindByAddress("w:w")(1, dispatch.table(1).addresses[slot("glCreateShader")]), 0);
  assertEquals(said.length, 1);
  dispatch.close();
});

Deno.test("marker commands that the driver lacks do nothing and say nothing", () => {
  const said: string[] = [];
  const dispatch = new Dispatch(source({}), false, (each) => said.push(each));
  bindByAddress("v:")(dispatch.table(2).addresses[slot("glPopGroupMarkerEXT")]);
  assertEquals(said, []);
  dispatch.close();
});

Deno.test("a driver that knows any name has the commands of its version and extensions alone", () => {
  const all: EntrySource = { find: () => 8n, findExported: () => 8n };
  const dispatch = new Dispatch(
    { find: (name) => name === "eglGetProcAddress" ? 0n : 8n, findExported: all.findExported },
    true,
    () => {},
  );
  const has = (name: string) => dispatch.table(2).has(slot(name));
  assertEquals([has("glClear"), has("glDispatchCompute")], [false, false]);
  dispatch.admit(2, [3, 0], new Set(["GL_EXT_debug_marker", "GL_OES_mapbuffer"]));
  assertEquals([has("glClear"), has("glMapBufferRange"), has("glMapBufferOES")], [true, true, true]);
  assertEquals([has("glDispatchCompute"), has("glPopGroupMarkerEXT")], [false, true]);
  dispatch.admit(2, [3, 1], new Set());
  assertEquals([has("glDispatchCompute"), has("glPopGroupMarkerEXT")], [true, false]);
  dispatch.close();
});

for (const driver of drivers) {
  Deno.test(
    `resolveAll() finds the same in one native call as one by one on ${driver.name}`,
    needs(driver.part, driver.found || undefined),
    () => {
      using opened = driver.open();
      const slow = { find: opened.find, findExported: opened.findExported };
      for (const [api, names] of [["egl", eglCommands.names], ["gles2", glCommands.names]] as const) {
        const found = resolveAll(opened, api, names);
        assertEquals(found, resolveAll(slow, api, names));
        assertEquals(found.every((address, index) => address === opened.find(names[index], api)), true);
      }
    },
  );
}
