import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { APP, NEEDS_PROGRAMS, runIn } from "../../workbench/layer_server/programs.ts";
import { commandLine } from "../../support/command_line.ts";
import type { Outcome } from "../../support/subprocess.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { layerModule } from "./exec.ts";
import { starting } from "./serving.ts";

/** The words of a program that goes on alone. */
const GONE = "pumice: the process with the layers does not answer; the program goes on without them\n";

const DOUBLING = `commands: {
  vkCreateBuffer(next, device, info, ...rest) {
    const read = this.read("VkBufferCreateInfo", info);
    return next(device, this.write("VkBufferCreateInfo", { ...read, size: read.size * 2n }), ...rest);
  },
}`;

/** Runs the tests' program with the library in `layers` of a folder. */
function running(folder: string): Outcome {
  return runIn(folder, true, [APP!, "results", "2"]);
}

Deno.test(
  "cli serve answers programs whose library was written before it with the same keys, one server after the other",
  NEEDS_PROGRAMS,
  () =>
    withFolderAsync(async (folder) => {
      const address = `unix:${folder}/socket`, key = `--key-file=${folder}/keys`;
      const written = await commandLine("layer-library", `${folder}/layers`, `--connect=${address}`, key);
      assertEquals(written.code, 0, written.text);
      const keys = Deno.readTextFileSync(`${folder}/keys`).split("\n")[1];
      assertEquals([Deno.statSync(`${folder}/keys`).mode! & 0o777, keys.length], [0o600, 128]);
      assertEquals(Deno.statSync(`${folder}/layers/libVkLayer_pumice.so`).mode! & 0o777, 0o700);
      const layers = [`--layer=${layerModule(folder, "doubling", DOUBLING)}`, "--layer=profile", "--frames"];
      for (let round = 0; round < 2; round++) {
        const server = starting(folder, ["serve", `--listen=${address}`, key, ...layers]);
        await server.until(/Layers are served at .*\n/);
        const done = running(folder);
        assertEquals([done.code, done.stdout, done.stderr], [0, "2048 2048 \n", ""]);
        const { code, stdout, stderr } = await server.end();
        assertEquals([code, stderr], [0, ""]);
        assertMatch(stdout, /^vkCreateBuffer .* 2 × /m);
        assert(!`${written.text}${stdout}`.includes(keys.slice(0, 16)), "keys are not for printing");
      }
      const alone = running(folder); // nobody listens
      assertEquals([alone.code, alone.stdout, alone.stderr], [0, "1024 1024 \n", GONE]);
    }),
);

for (const kind of ["unix", "tcp"] as const) {
  Deno.test(
    `cli serve --listen=${kind}:… says who shows another key, and the program goes on without layers and says so once`,
    NEEDS_PROGRAMS,
    () =>
      withFolderAsync(async (folder) => {
        const listen = kind === "unix" ? `unix:${folder}/socket` : "tcp:127.0.0.1:0";
        const server = starting(folder, ["serve", `--listen=${listen}`, "--layer=profile", "--json"]);
        const address = (await server.until(/Layers are served at \S+/)).split(" ").at(-1);
        const args = [`--connect=${address}`, `--key-file=${folder}/other`];
        assertEquals((await commandLine("layer-library", `${folder}/layers`, ...args)).code, 0);
        const { code, stdout, stderr } = running(folder);
        assertEquals([code, stdout, stderr], [0, "1024 1024 \n", GONE]);
        await server.until(/another key.*\n/);
        const ended = await server.end("SIGTERM");
        const who = kind === "unix"
          ? /^process \d+ shows another key/m
          : /^a program at tcp:127.0.0.1:\d+ shows another key/m;
        assertMatch(ended.stderr, who);
        assertEquals(ended.stderr.split("another key").length, 2, ended.stderr);
        assertStringIncludes(ended.stderr, "give both the same file of keys");
        assertEquals([ended.code, JSON.parse(ended.stdout).connected], [0, 0]);
      }),
  );
}

Deno.test("cli serve and layer-library say what is wrong with addresses, keys and layers", () =>
  withFolderAsync(async (folder) => {
    const open = `${folder}/open`, other = `${folder}/other`;
    Deno.writeTextFileSync(open, "", { mode: 0o644 });
    Deno.writeTextFileSync(other, "secret", { mode: 0o600 });
    const at = "--connect=tcp:127.0.0.1:7007", library = ["layer-library", `${folder}/layers`];
    const vulkan = layerModule(folder, "vulkan", DOUBLING);
    const rows: readonly (readonly [string[], string])[] = [
      [["serve"], "serve: --listen=ADDRESS is missing"],
      [["serve", "--listen=somewhere"], 'serve: Cannot use "somewhere" as an address: write tcp:127.0.0.1:PORT'],
      [["serve", "--listen=unix:a", "--target=pdp11"], 'serve: "pdp11" is no target'],
      [["serve", `--listen=unix:${folder}/a`, `--key-file=${open}`], "other users can read them; delete the file"],
      [["serve", `--listen=unix:${folder}/a`, `--key-file=${folder}`], "it is no file; give a file that is not there"],
      [["serve", `--listen=unix:${folder}/a`, "--gles", `--layer=${vulkan}`], 'of Vulkan: leave "--gles" out'],
      [["serve", `--listen=unix:${folder}/a`, "--gles", "--layer=leaks"], "with --gles, give profile, errors"],
      [["serve", `--listen=unix:${folder}/a`, "--timeout=soon"], "serve: --timeout=soon is no number of seconds"],
      [[...library, at], "--connect=ADDRESS and --key-file=FILE go together"],
      [[...library, at, `--key-file=${other}`], "it holds something else"],
      [[...library, "--connect=tcp:nowhere", `--key-file=${folder}/new`], 'Cannot use "tcp:nowhere" as an address'],
    ];
    for (const [line, why] of rows) {
      const { code, text } = await commandLine(...line);
      assertEquals(code, 2, text);
      assertStringIncludes(text, why);
      assert(!text.includes("secret"), text);
    }
  }));
