import { emitMethods } from "./emit_methods.ts";
import { emitConstants, emitTable } from "./emit_tables.ts";
import { readGlRegistry } from "./read.ts";

const MODULES = "egl/gen/";

/** Writes every file made from egl.xml and gl.xml in memory: its path below the project's root, and its text. */
export function generateGl(eglPath: string, glPath: string): Map<string, string> {
  const egl = readGlRegistry(eglPath, ["egl"]), gl = readGlRegistry(glPath, ["gles1", "gles2"]);
  return new Map([
    [`${MODULES}egl_table_gen.js`, emitTable(egl)],
    [`${MODULES}gl_table_gen.js`, emitTable(gl)],
    ...[...emitConstants(egl, "egl_constants_gen"), ...emitConstants(gl, "gl_constants_gen")]
      .map(([name, text]): [string, string] => [`${MODULES}${name}`, text]),
    [`${MODULES}egl_commands_gen.ts`, emitMethods(egl, "Egl")],
    [`${MODULES}gl_commands_gen.ts`, emitMethods(gl, "Gl")],
  ]);
}
