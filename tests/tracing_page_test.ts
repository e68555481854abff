import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { lavapipePath, swiftshaderPath } from "../tools/setup/parts.ts";
import { drivers } from "./egl/drivers.ts";
import { decodeTrace } from "./workbench/timeline/decode.ts";
import { manifestIn, runPasted } from "./support/pasted.ts";
import { needs } from "./support/require.ts";
import { runProgram } from "./support/subprocess.ts";
import { withFolder } from "./support/temporary.ts";

const root = new URL("../", import.meta.url).pathname;
const driver = lavapipePath() ?? swiftshaderPath();
const page = Deno.readTextFileSync(`${root}docs/tracing.md`);

/** The names of a file's tracks, with the numbers of handles, sizes and windows left out. */
function kindsOf(path: string): Set<string> {
  const { tracks, slices } = decodeTrace(Deno.readFileSync(path));
  assert(slices.length > 0 && slices.every(({ start, end }) => start <= end && end < Infinity), "each slice ends");
  return new Set(tracks.map((track) => track.replace(/\(.*\)/, "").replace(/ \d+/g, "").replace(/\d+/g, "N")));
}

Deno.test("the program of the page about tracing writes the tracks of the page", needs("a driver", driver), () => {
  withFolder((folder) => {
    const [, program] = page.split(/^```ts ignore\n/m).map((part) => part.split("```")[0]);
    const path = `${folder}/frames.pftrace`;
    const here = program.replace('"frames.pftrace"', JSON.stringify(path)).replace("out/", `${folder}/`);
    const { code, output } = runPasted(here, { VK_DRIVER_FILES: manifestIn(folder, driver!) });
    assertEquals(code, 0, output);
    const kinds = kindsOf(path);
    const windows = ["", "/queued frames", "/buffer"].map((track) => `deno/window "app" ${track}`);
    const display = ["", "/vsync", "/present fence", "/overlayN", "/client layers"];
    for (const kind of [...windows, ...display.map((track) => `deno/display ${track}`)]) {
      assert(kinds.has(kind), `${kind} is not in ${[...kinds].join(", ")}`);
    }
    const { slices } = decodeTrace(Deno.readFileSync(path));
    assert(slices.some(({ name }) => name === "vkCreateAndroidSurfaceKHR"));
  });
});

Deno.test("cli trace --perfetto shows a script's calls, queue and window", needs("a driver", driver), () => {
  withFolder((folder) => {
    const path = `${folder}/window.pftrace`, frames = [`--png=${folder}/%d.png`, "--frames=2", `--driver=${driver}`];
    const { code, output } = runProgram("cli.ts", [
      ...["trace", "examples/window.ts", `--perfetto=${path}`, "--", ...frames],
    ], { flags: ["--allow-sys", "--allow-net=127.0.0.1"] });
    assertEquals(code, 0, output);
    assertStringIncludes(output, `${path}: the calls of the script`);
    const { slices } = decodeTrace(Deno.readFileSync(path));
    const names = (part: string) => slices.filter(({ track }) => track.includes(part)).map(({ name }) => name);
    assert(names("VkQueue").filter((name) => name.startsWith("vkQueueSubmit")).length >= 2);
    assertEquals(names("buffer").filter((name) => name === "queued").length, 2);
    assertEquals(names("JavaScript").filter((name) => name === "queueBuffer").length, 2);
  });
});

Deno.test(
  "cli trace --perfetto shows calls of EGL and OpenGL ES, too",
  needs("a driver of EGL", drivers.some(({ found }) => found)),
  () => {
    withFolder((folder) => {
      const path = `${folder}/gles.pftrace`, options = ["--size=32x16", `--out=${folder}/gles.png`];
      const { code, output } = runProgram("cli.ts", [
        "trace",
        "examples/gles.ts",
        `--perfetto=${path}`,
        "--",
        ...options,
      ]);
      assertEquals(code, 0, output);
      const { slices } = decodeTrace(Deno.readFileSync(path));
      const names = new Set(slices.filter(({ track }) => track === "deno/JavaScript").map(({ name }) => name));
      for (const name of ["eglInitialize", "eglCreateContext", "glClear", "glReadPixels"]) {
        assert(names.has(name), `${name} is not in ${[...names].join(", ")}`);
      }
    });
  },
);

Deno.test("cli compose --perfetto shows windows and the display", () => {
  withFolder((folder) => {
    const path = `${folder}/compose.pftrace`, size = ["--width=90", "--height=160", "--frames=2", `--png=${folder}`];
    const { code, output } = runProgram("cli.ts", ["compose", ...size, `--perfetto=${path}`], {
      env: { VK_DRIVER_FILES: "/none.json" },
      flags: ["--allow-sys", "--allow-net=127.0.0.1"],
    });
    assertEquals(code, 0, output);
    const { slices } = decodeTrace(Deno.readFileSync(path));
    assert(slices.filter(({ name }) => name === "presentDisplay").length >= 2);
    assert(slices.filter(({ name, track }) => name === "vsync" && track.includes("display 1")).length >= 2);
    assert(slices.some(({ track, name }) => track.includes("overlay") && name.startsWith("window ")));
  });
});
