import { assert, assertEquals } from "@std/assert";
import * as parts from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { startXServer } from "../../support/x_server.ts";
import { withFolder } from "../../support/temporary.ts";
import { mesa } from "../drivers.ts";
import { comparedClient } from "./clients.ts";

const mesaAndCompiler = needs(mesa.part, mesa.found || undefined).ignore ||
  needs("C compiler", parts.compilerPath()).ignore;
const xServer = needs("X server without a screen", parts.xvfbPath());
const SURFACELESS = { EGL_PLATFORM: "surfaceless", DISPLAY: "", WAYLAND_DISPLAY: "" };

/** A real program and what it is run with. */
interface Row {
  readonly name: string;
  readonly fixture: string;
  readonly argument?: string;
  /** The part of the machine it needs, and where that is. */
  readonly part: readonly [name: string, path: string | undefined];
  /** Environment variables beside the screen's. */
  readonly env?: Record<string, string>;
  /** A line that tells that it drew. */
  readonly drawn: RegExp;
  /** The number of times that a TypeScript layer of OpenGL ES sees it clear, and whether it draws on other threads. */
  readonly clears?: number;
  readonly drawsElsewhere?: number;
}

const GTK = { GDK_BACKEND: "x11", GDK_DEBUG: "gl-egl", DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" };
const GREEN = /^drawn: 0,255,0,255 \.\. 0,255,0,255 /;
const TRIANGLE = /^drawn: 0,255,0,255 \.\. 0,0,255,255 /;
const sdl = ["SDL", parts.sdlPath()] as const, glfw = ["GLFW", parts.glfwPath()] as const;
const gtk = ["GTK 4", parts.gtkPath()] as const, qt = ["Qt 6", parts.qtPath()] as const;
const gstreamer = ["GStreamer's OpenGL", parts.gstreamerGlPath()] as const;
const epoxy = ["libepoxy", parts.epoxyPath()] as const, virgl = ["virglrenderer", parts.virglPath()] as const;

const ON_X11: readonly Row[] = [
  { name: "SDL with OpenGL ES 2", fixture: "native_sdl", argument: "2", part: sdl, drawn: TRIANGLE, clears: 3 },
  { name: "SDL with OpenGL ES 3", fixture: "native_sdl", argument: "3", part: sdl, drawn: TRIANGLE, clears: 3 },
  { name: "GLFW with OpenGL ES 2", fixture: "native_glfw", argument: "2", part: glfw, drawn: TRIANGLE, clears: 4 },
  { name: "GLFW with OpenGL ES 3", fixture: "native_glfw", argument: "3", part: glfw, drawn: TRIANGLE, clears: 4 },
  { name: "libepoxy", fixture: "native_epoxy", argument: "x11", part: epoxy, drawn: TRIANGLE, clears: 1 },
  {
    name: "GTK's GLArea with OpenGL ES",
    fixture: "native_gtk",
    argument: "gles",
    part: gtk,
    env: { ...GTK, GSK_RENDERER: "cairo" },
    drawn: GREEN,
    clears: 1,
  },
  {
    name: "GTK's GLArea with desktop OpenGL, as the rest of the window,",
    fixture: "native_gtk",
    argument: "desktop",
    part: gtk,
    env: GTK,
    drawn: GREEN,
    clears: 1,
  },
  {
    name: "Qt in a QThread",
    fixture: "native_qt",
    argument: "3",
    part: qt,
    env: { QT_QPA_PLATFORM: "xcb", QT_XCB_GL_INTEGRATION: "xcb_egl" },
    drawn: TRIANGLE,
    drawsElsewhere: 3,
  },
  ...([["gles2", 3], ["opengl3"]] as const).map(([api, drawsElsewhere]): Row => ({
    name: `GStreamer's OpenGL thread with ${api}`,
    fixture: "native_gstreamer",
    part: gstreamer,
    env: { GST_REGISTRY_FORK: "no", GST_GL_PLATFORM: "egl", GST_GL_WINDOW: "x11", GST_GL_API: api },
    drawn: /^frames: 204,104,102,204 /,
    drawsElsewhere, // what comes from libGL goes past layers
  })),
];
const WITHOUT: readonly Row[] = [
  { name: "libepoxy", fixture: "native_epoxy", argument: "surfaceless", part: epoxy, drawn: TRIANGLE, clears: 1 },
  {
    name: "virglrenderer with OpenGL ES",
    fixture: "native_virgl",
    argument: "gles",
    part: virgl,
    drawn: /^the same: 1$/,
  },
  {
    name: "virglrenderer with desktop OpenGL",
    fixture: "native_virgl",
    argument: "desktop",
    part: virgl,
    drawn: /^the same: 1$/,
  },
  {
    name: "libmpv",
    fixture: "native_mpv",
    part: ["libmpv", parts.mpvPath()],
    drawn: /^frame: 0,0,0,255 \.\. 255,255,255,255 /,
    clears: 1,
  },
  {
    name: "a program with desktop OpenGL",
    fixture: "native_desktop",
    part: ["desktop OpenGL", parts.openGlPath() && parts.glPath()],
    drawn: /^drawn: 255,128,0,255 \.\. 255,128,0,255 /,
  },
];

/** Programs may write to a folder, which is their argument where they have no other. */
function compare({ fixture, argument, drawn, env, ...wanted }: Row, screen: Record<string, string>): void {
  withFolder((folder) => {
    const surroundings = { ...screen, XDG_RUNTIME_DIR: folder, GST_REGISTRY: `${folder}/registry`, ...env };
    const run = { fixture, argument: argument ?? `${folder}/file`, env: surroundings };
    const { lines, counts, elsewhere } = comparedClient(run);
    assert(lines.some((line) => drawn.test(line)), lines.join("\n"));
    if (wanted.clears !== undefined) assertEquals(counts.glClear, wanted.clears);
    const draws = (elsewhere.glDrawArrays ?? 0) + (elsewhere.glDrawElements ?? 0);
    if (wanted.drawsElsewhere !== undefined) assertEquals(draws, wanted.drawsElsewhere);
  });
}

for (const row of ON_X11) {
  Deno.test(`${row.name} draws on X11 as with the system's libraries`, {
    ignore: mesaAndCompiler || xServer.ignore || needs(...row.part).ignore,
  }, async () => {
    await using server = await startXServer();
    compare(row, { DISPLAY: server.display });
  });
}

for (const row of WITHOUT) {
  Deno.test(`${row.name} draws without windows as with the system's libraries`, {
    ignore: mesaAndCompiler || needs(...row.part).ignore,
  }, () => compare(row, SURFACELESS));
}
