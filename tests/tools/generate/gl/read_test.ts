import { assertEquals } from "@std/assert";
import { emitConstants, emitTable } from "../../../../tools/generate/gl/emit_tables.ts";
import { emitMethods } from "../../../../tools/generate/gl/emit_methods.ts";
import type { GlRegistry } from "../../../../tools/generate/gl/model.ts";
import { readGlRegistry } from "../../../../tools/generate/gl/read.ts";

const XML = `<?xml version="1.0"?><registry>
<enums namespace="GL" group="A"><enum value="0x10" name="GL_A"/><enum value="0xFFFFFFFFFFFFFFFF" type="ull" name="GL_FOREVER"/>
<enum value="EGL_CAST(EGLint,-1)" name="EGL_DONT_CARE"/><enum value="EGL_CAST(EGLContext,0)" name="EGL_NO_CONTEXT"/>
<enum value="1" name="GL_DESKTOP"/></enums>
<commands namespace="GL">
<command><proto>void <name>glDesktop</name></proto></command>
<command><proto group="String">const <ptype>GLubyte</ptype> *<name>glTell</name></proto>
 <param><ptype>GLenum</ptype> <name>what</name></param></command>
<command><proto>void <name>glGive</name></proto><param><ptype>GLsizei</ptype> <name>n</name></param>
 <param len="COMPSIZE(n, pname)">const <ptype>GLfloat</ptype> *<name>values</name></param>
 <param len="n*4">const <ptype>GLint</ptype> *<name>more</name></param>
 <param len="n">const <ptype>GLchar</ptype> *const*<name>texts</name></param>
 <param>void *<name>opaque</name></param></command>
</commands>
<feature api="gl" name="GL_VERSION_1_0" number="1.0"><require><command name="glDesktop"/><enum name="GL_DESKTOP"/></require></feature>
<feature api="gles2" name="GL_ES_VERSION_2_0" number="2.0"><require><command name="glTell"/><enum name="GL_A"/></require></feature>
<extensions><extension name="GL_EXT_x" supported="gl|gles2">
<require api="gl"><command name="glDesktop"/></require>
<require><command name="glGive"/><enum name="GL_FOREVER"/><enum name="EGL_DONT_CARE"/><enum name="EGL_NO_CONTEXT"/></require>
</extension></extensions></registry>`;

/** Reads the text above as far as it is about OpenGL ES 2. */
function read(): GlRegistry {
  const path = Deno.makeTempFileSync({ suffix: ".xml" });
  try {
    Deno.writeTextFileSync(path, XML);
    return { ...readGlRegistry(path, ["gles2"]), source: "gl.xml" };
  } finally {
    Deno.removeSync(path);
  }
}

Deno.test("readGlRegistry() takes what an API's versions and extensions require, and no more", () => {
  const { features, commands, constants } = read();
  assertEquals(features.map(({ name, api, version, commands }) => [name, api, version, commands.join()]), [
    ["GL_ES_VERSION_2_0", "gles2", "2.0", "glTell"],
    ["GL_EXT_x", "gles2", undefined, "glGive"],
  ]);
  assertEquals(commands.map(({ name }) => name), ["glGive", "glTell"]);
  assertEquals(constants.map(({ name, value }) => [name, value]), [
    ["GL_A", 16],
    ["GL_FOREVER", 0xffffffffffffffffn],
    ["EGL_DONT_CARE", -1],
    ["EGL_NO_CONTEXT", 0n],
  ]);
});

Deno.test("emitTable() writes commands and features as the loader reads them", () => {
  const text = emitTable(read());
  assertEquals(text.match(/^gl\w+ .*$/gm), [
    "glGive v n:i values:&f[@n,pname] more:&i[n*4] texts:&&c[n] opaque:P",
    "glTell *Y what:e",
  ]);
  assertEquals(text.match(/^GL_\w+ .*$/gm), ["GL_ES_VERSION_2_0 gles2 2.0 glTell", "GL_EXT_x gles2 - glGive"]);
});

Deno.test("emitConstants() writes numbers and bigints without comments, and documented declarations beside them", () => {
  const [[name, run], [declarations, declared]] = emitConstants(read(), "x_gen");
  assertEquals([name, declarations], ["x_gen.js", "x_gen.d.ts"]);
  assertEquals(run.split("\n").slice(1, 7), [
    '// @ts-self-types="./x_gen.d.ts"',
    "export const",
    "GL_A=0x10,",
    "GL_FOREVER=0xffffffffffffffffn,",
    "EGL_DONT_CARE=-1,",
    "EGL_NO_CONTEXT=0n;",
  ]);
  assertEquals(declared.match(/^export const .*$/gm), [
    "export const GL_A=0x10;",
    "export const GL_FOREVER=0xffffffffffffffffn;",
    "export const EGL_DONT_CARE: number;",
    "export const EGL_NO_CONTEXT=0n;",
  ]);
});

Deno.test("emitMethods() writes the methods and their raw forms", () => {
  const text = emitMethods(read(), "Gl");
  assertEquals(text.match(/^gl\w+.*$/gm), [
    "glGive(values: GlNumbers | null, more: GlNumbers | null, texts: string | readonly string[], opaque: number | bigint): void;",
    "glTell(what: GLenum): string;",
    "glGive(n: number, values: bigint, more: bigint, texts: bigint, opaque: bigint): void;",
    "glTell(what: number): bigint;",
  ]);
});
