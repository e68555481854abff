import { assert, assertEquals } from "@std/assert";
import { planOf } from "../../../egl/command/plan.ts";
import { signatureOf } from "../../../egl/command/spec.ts";
import {
  type CommandApi,
  commandsIn,
  commandsOf,
  eglCommands,
  features,
  glCommands,
} from "../../../egl/dispatch/names.ts";
import * as eglConstants from "../../../egl/gen/egl_constants_gen.js";
import * as glConstants from "../../../egl/gen/gl_constants_gen.js";
import { SIGNATURES } from "../../../egl/gen/gl_table_gen.js";

/** The number of an API's extensions. */
const extensions = (api: CommandApi) => features().filter((each) => each.api === api && !each.version).length;
/** The number of commands that each of its versions brings. */
const perVersion = (api: CommandApi) =>
  features().filter((each) => each.api === api && each.version).map((each) => each.commands.length);

Deno.test("the tables have every command and constant of EGL 1.0 to 1.5 and its extensions", () => {
  assertEquals(eglCommands.names.length, 158);
  assertEquals(Object.keys(eglConstants).length, 596);
  assertEquals(extensions("egl"), 167);
  assertEquals(perVersion("egl"), [24, 4, 5, 0, 1, 10]);
});

Deno.test("the tables have every command and constant of OpenGL ES 1.0 to 3.2 and its extensions", () => {
  assertEquals(glCommands.names.length, 1075);
  assertEquals(Object.keys(glConstants).length, 2736);
  assertEquals([extensions("gles1"), extensions("gles2")], [74, 326]);
  assertEquals([commandsOf("gles1").size, commandsOf("gles2").size], [298, 902]);
  assertEquals(perVersion("gles2"), [142, 104, 68, 44]);
});

Deno.test("the tables of OpenGL ES are as large as those of Android's wrapper libraries", () => {
  // libGLESv1_CM has 298 entries; libGLESv2 has the 358 of the core versions.
  assertEquals(commandsOf("gles1").size, 298);
  assertEquals(commandsIn("gles2", [3, 2], new Set()).size, 358);
  assertEquals(commandsIn("gles1", [1, 1], new Set()).size, 144);
});

Deno.test("each command has a signature that stubs are made for, and a plan", () => {
  const known = new Set(SIGNATURES.split(" "));
  for (const name of glCommands.names) {
    const command = glCommands.find(name)!;
    assert(known.has(signatureOf(command)), name);
    assertEquals(planOf(command).length, command.params.length, name);
  }
});

Deno.test("names are sorted and found at their slots", () => {
  for (const list of [eglCommands, glCommands]) {
    assertEquals(list.names, [...list.names].sort());
    assertEquals(list.names.every((name, slot) => list.slot(name) === slot), true);
  }
  assertEquals([glCommands.slot("glNoSuch"), glCommands.find("glNoSuch")], [undefined, undefined]);
});
