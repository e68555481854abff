import { eglInfo, loadEgl } from "../../../egl/mod.ts";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { onPath } from "../../../tools/setup/files.ts";
import { epoxyPath, sdlPath, xvfbPath } from "../../../tools/setup/parts.ts";
import { mesa } from "../../egl/drivers.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { startXServer } from "../../support/x_server.ts";
import { run } from "../../support/subprocess.ts";
import { exec } from "./exec.ts";

const ROOT = decodeURIComponent(new URL("../../../", import.meta.url).pathname);
const MESA = Deno.build.arch === "x86_64" && mesa.found || undefined;
const SURFACELESS = { EGL_PLATFORM: "surfaceless", DISPLAY: "", WAYLAND_DISPLAY: "" };

/** The line that runs a program of tests/fixtures with the system's libraries. */
function program(fixture: string, argument: string): string[] {
  const native = `${ROOT}tests/egl/install/programs/native.ts`,
    map = `--import-map=${ROOT}tools/offline_import_map.json`;
  return [Deno.execPath(), "run", "-A", "--no-check", map, native, "", compileFixture(fixture)!, argument];
}

/** Writes a layer that halves the color to clear with, and asks a command that the program has not asked for. */
function darker(folder: string): string {
  const path = `${folder}/darker.ts`;
  Deno.writeTextFileSync(
    path,
    `import { defineGlesLayer } from "${ROOT}egl/mod.ts";
export default defineGlesLayer({
  name: "darker",
  commands: {
    glClearColor(next, red, green, blue, alpha) {
      if (!this.below.glIsEnabled(0x0bd0)) throw new Error("dithering is on in each new context");
      next(red / 2, green / 2, blue / 2, alpha);
    },
  },
});
`,
  );
  return path;
}

Deno.test(
  "cli exec --gles puts layers on a program that finds EGL by libepoxy: pixels stay, and change as told",
  needs("Mesa's EGL on x86-64, libepoxy and a C compiler", MESA && epoxyPath() && compileFixture("native_epoxy")),
  () =>
    withFolder((folder) => {
      const line = program("native_epoxy", "surfaceless"), plain = run(line[0], line.slice(1), { env: SURFACELESS });
      assertStringIncludes(plain.stdout, "drawn: 0,255,0,255 .. 0,0,255,255 ");
      const passed = exec(folder, ["--gles", "--layer=profile", "--frames", "--", ...line], SURFACELESS);
      assertEquals([passed.code, passed.stdout.split("\n")[0]], [0, plain.stdout.trim()], passed.stderr);
      assertMatch(passed.stdout, /^glClear .* 1 ×/m);
      const changed = exec(folder, ["--gles", `--layer=${darker(folder)}`, "--", ...line], SURFACELESS);
      assertEquals([changed.code, changed.stderr], [0, ""]);
      assertStringIncludes(changed.stdout, "drawn: 0,255,0,255 .. 0,0,128,255 ");
    }),
);

Deno.test(
  "cli exec --gles puts layers on a program that draws into a window of SDL's",
  needs(
    "Mesa's EGL on x86-64, SDL, Xvfb and a C compiler",
    MESA && sdlPath() && xvfbPath() && compileFixture("native_sdl"),
  ),
  async () => {
    await using server = await startXServer();
    withFolder((folder) => {
      const line = ["--gles", `--layer=${darker(folder)}`, "--", ...program("native_sdl", "2")];
      const { code, stdout, stderr } = exec(folder, line, { DISPLAY: server.display });
      assertEquals([code, stderr], [0, ""]);
      assertEquals(stdout.match(/drawn: 0,255,0,255 \.\. 0,0,128,255 /g)?.length, 3, stdout);
    });
  },
);

Deno.test(
  "cli exec --gles changes nothing of what eglinfo prints, which is linked with EGL, and times its calls",
  needs("Mesa's EGL on x86-64, and eglinfo", MESA && onPath("eglinfo")),
  () =>
    withFolder((folder) => {
      const plain = run("eglinfo", [], { env: SURFACELESS });
      const { code, stdout } = exec(folder, ["--gles", "--layer=profile", "--frames", "--", "eglinfo"], SURFACELESS);
      assertEquals([code, stdout.slice(0, plain.stdout.length)], [plain.code, plain.stdout]);
      assertMatch(stdout.slice(plain.stdout.length), /^eglInitialize .* \d+ ×/m);
    }),
);

Deno.test(
  "cli exec --gles says of a program without EGL that nothing loaded the layers, and refuses to record",
  needs("Mesa's EGL on x86-64", MESA),
  () =>
    withFolder((folder) => {
      const without = exec(folder, ["--gles", "--layer=profile", "--frames", "--", "true"]);
      assertEquals(without.code, 0);
      assertStringIncludes(without.stderr, "true: no process of it loaded the layers. ");
      const recording = exec(folder, ["--gles", `--record=${folder}/calls.jsonl`, "--", "true"]);
      assertEquals(recording.code, 2);
      assertStringIncludes(recording.stderr, "exec: --record records calls of Vulkan: leave --gles or --record out");
    }),
);

Deno.test(
  "cli exec --gles --layer=twin shows a program with a window the driver of a report",
  needs("Mesa's EGL on x86-64, es2_info and Xvfb", MESA && onPath("es2_info") && xvfbPath()),
  async () => {
    await using server = await startXServer();
    withFolder((folder) => {
      using egl = loadEgl({});
      const { shown, contexts, configs, ...report } = eglInfo(egl), path = `${folder}/phone.json`;
      const phone = { vendor: "A phone", renderer: "Phone 3000", extensions: ["GL_OES_phone"] };
      const source = {
        ...report,
        driver: "phone",
        configs: configs.map((config) => ({ ...config, EGL_NATIVE_VISUAL_ID: 0 })),
        shown: { ...shown, vendor: "A phone" },
        contexts: contexts.map((context) => ({ ...context, ...phone })),
      };
      Deno.writeTextFileSync(path, JSON.stringify(source));
      const line = ["--gles", `--layer=twin:${path}`, "--", "es2_info"], env = { DISPLAY: server.display };
      const { code, stdout, stderr } = exec(folder, line, env);
      assertEquals([code, stderr], [0, ""], stdout);
      for (const words of ["EGL_VENDOR: A phone", "GL_VENDOR: A phone", "GL_RENDERER: Phone 3000", "GL_OES_phone"]) {
        assertStringIncludes(stdout, words);
      }
    });
  },
);
