/**
 * Opens, before any test runs, what the EGL loader keeps open for the life of
 * the process. Import it first in every test file that calls EGL or GL
 * commands, so that the sanitizers see no leak.
 */
import "./warm.ts";
import { callerOf } from "../../egl/dispatch/caller.ts";
import { SIGNATURES as EGL } from "../../egl/gen/egl_table_gen.js";
import { SIGNATURES as GL } from "../../egl/gen/gl_table_gen.js";

for (const signature of new Set(`${EGL} ${GL}`.split(" "))) callerOf(signature);
