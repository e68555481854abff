import { assert, assertEquals } from "@std/assert";
import * as parts from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { startXServer } from "../../support/x_server.ts";
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
  /** How often a TypeScript layer of OpenGL ES sees it clear. */
  readonly clears?: number;
}

const TRIANGLE = /^drawn: 0,255,0,255 \.\. 0,0,255,255 /;
const sdl = ["SDL", parts.sdlPath()] as const, glfw = ["GLFW", parts.glfwPath()] as const;
const epoxy = ["libepoxy", parts.epoxyPath()] as const, virgl = ["virglrenderer", parts.virglPath()] as const;

const ON_X11: readonly Row[] = [
  { name: "SDL with OpenGL ES 2", fixture: "native_sdl", argument: "2", part: sdl, drawn: TRIANGLE, clears: 3 },
  { name: "SDL with OpenGL ES 3", fixture: "native_sdl", argument: "3", part: sdl, drawn: TRIANGLE, clears: 3 },
  { name: "GLFW with OpenGL ES 2", fixture: "native_glfw", argument: "2", part: glfw, drawn: TRIANGLE, clears: 4 },
  { name: "GLFW with OpenGL ES 3", fixture: "native_glfw", argument: "3", part: glfw, drawn: TRIANGLE, clears: 4 },
  { name: "libepoxy", fixture: "native_epoxy", argument: "x11", part: epoxy, drawn: TRIANGLE, clears: 1 },
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
    name: "a program with desktop OpenGL",
    fixture: "native_desktop",
    part: ["desktop OpenGL", parts.openGlPath() && parts.glPath()],
    drawn: /^drawn: 255,128,0,255 \.\. 255,128,0,255 /,
  },
];

function compare({ fixture, argument, drawn, clears, env }: Row, screen: Record<string, string>): void {
  const { lines, counts } = comparedClient({ fixture, argument, env: { ...screen, ...env } });
  assert(lines.some((line) => drawn.test(line)), lines.join("\n"));
  if (clears !== undefined) assertEquals(counts.glClear, clears);
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
