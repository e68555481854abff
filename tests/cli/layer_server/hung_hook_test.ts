import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { LAYER_NAME } from "../../../workbench/layer_server/manifest.ts";
import { APP, environment, NEEDS_PROGRAMS } from "../../workbench/layer_server/programs.ts";
import { withFolder, withFolderAsync } from "../../support/temporary.ts";
import { exec, layerModule } from "./exec.ts";
import { starting } from "./serving.ts";

/** A hook that does not return from its second call on. */
const HANGING = `commands: {
  vkCreateBuffer(next, ...args) {
    const result = next(...args);
    if (++buffers === 2) for (;;);
    return result;
  },
}`;

const TOLD = HANGING.replace("for (;;);", '{ console.error("hangs now"); for (;;); }');

/** Layers above and below, and the one that hangs. */
function layers(folder: string): string[] {
  const passing = layerModule(folder, "passing", "anyCommand: () => (next, ...args) => next(...args)");
  return [
    "--layer=profile",
    `--layer=${passing}`,
    `--layer=${layerModule(folder, "hanging", HANGING, "let buffers = 0;")}`,
  ];
}

Deno.test(
  "cli exec ends by itself once its program has ended, and says which hook hangs",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const TMPDIR = `${folder}/temporary`;
      Deno.mkdirSync(TMPDIR);
      for (const [line, wanted] of [[["buffers", "3"], 1], [["exit", "7"], 7]] as const) {
        const hook = line[0] === "exit" ? HANGING.replace("=== 2", "=== 1") : HANGING;
        const hanging = layerModule(folder, `hanging_${line[0]}`, hook, "let buffers = 0;");
        const args = [...layers(folder).slice(0, 2), `--layer=${hanging}`, "--timeout=0.5", "--", APP!, ...line];
        const { code, stdout, stderr } = exec(folder, args, { TMPDIR });
        assertEquals([code, stdout], [wanted, line[0] === "exit" ? "" : "3072 bytes\n"], stderr);
        assertMatch(
          stderr,
          /^exec: VK_LAYER_TEST_hanging_\w+, vkCreateBuffer does not return since \S+ has ended; .* reports of the layers are missing/m,
        );
        assertEquals([...Deno.readDirSync(TMPDIR)], []);
      }
    }),
);

Deno.test(
  "cli exec hands SIGTERM on to its program while a hook hangs, and ends with it",
  NEEDS_PROGRAMS,
  () =>
    withFolderAsync(async (folder) => {
      const told = layerModule(
        folder,
        "told",
        TOLD,
        "let buffers = 0;",
      );
      const args = ["--layer=profile", `--layer=${told}`, "--timeout=0", "--", APP!, "until", "1"];
      const running = starting(folder, ["exec", ...args]);
      await running.until(/hangs now/);
      const { code, stderr } = await running.end("SIGTERM");
      assertEquals(code, 143, stderr);
      assertStringIncludes(stderr, "VK_LAYER_TEST_told, vkCreateBuffer does not return");
    }),
);

Deno.test(
  "cli exec waits for a slow hook of a program that runs, and reports as ever",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const slow = `commands: {
      vkCreateBuffer(next, ...args) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
        return next(...args);
      },
    }`;
      const layer = layerModule(folder, "slow", slow);
      const { code, stdout, stderr } = exec(folder, [
        `--layer=${layer}`,
        "--layer=profile",
        "--frames",
        "--timeout=0",
        "--",
        APP!,
        "buffers",
        "1",
      ]);
      assertEquals([code, stderr], [0, ""]);
      assert(/^vkCreateBuffer .* 1 ×/m.test(stdout), stdout);
    }),
);

Deno.test(
  "cli serve ends by a signal while a hook hangs, says which, and leaves no folder",
  NEEDS_PROGRAMS,
  () =>
    withFolderAsync(async (folder) => {
      const TMPDIR = `${folder}/temporary`;
      Deno.mkdirSync(TMPDIR);
      const told = layerModule(
        folder,
        "told",
        TOLD,
        "let buffers = 0;",
      );
      const listen = `--listen=unix:${folder}/socket`;
      const server = starting(folder, ["serve", listen, "--timeout=1", `--layer=${told}`], { TMPDIR });
      const path = (await server.until(/VK_ADD_LAYER_PATH=\S+/)).split("=")[1];
      const env = { ...environment(folder, LAYER_NAME), VK_ADD_LAYER_PATH: path };
      const program = new Deno.Command(APP!, { args: ["buffers", "3"], env, stdout: "null", stderr: "null" }).spawn();
      await server.until(/hangs now/);
      const { code, stderr } = await server.end("SIGTERM");
      assertEquals(code, 1);
      assertStringIncludes(stderr, "serve: VK_LAYER_TEST_told, vkCreateBuffer does not return after SIGTERM");
      assertEquals([(await program.status).code, [...Deno.readDirSync(TMPDIR)]], [0, []]);
    }),
);
