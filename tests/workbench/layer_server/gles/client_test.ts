import { assert, assertEquals, assertThrows } from "@std/assert";
import { defineGlesLayer, type GlesLayer } from "../../../../egl/mod.ts";
import { glesApiProfile, type GlesLayerServer, serveGlesLayers } from "../../../../workbench/gles_layers.ts";
import { openBlocks } from "../../../../ffi/block.ts";
import { compileProgram } from "../../../support/compile.ts";
import { openFiles } from "../../../support/open_files.ts";
import { needs } from "../../../support/require.ts";
import { mesa } from "../../../egl/drivers.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { writeGlesLayerFiles } from "../../../../workbench/layer_server/gles/gles_kind.ts";

const APP = Deno.build.arch === "x86_64" ? compileProgram("gles_elsewhere") : undefined;
const NEEDS = needs("x86-64 and a C compiler", APP);
const GONE = "pumice: the process with the layers does not answer; the program goes on without them\n";

/** Starts the program with a library. */
function start(library: string, ...words: string[]): Deno.ChildProcess {
  const args = ["60", APP!, library, ...words];
  return new Deno.Command("timeout", { args, stdin: "piped", stdout: "piped", stderr: "piped" }).spawn();
}

/** The end of a program, and its output. */
async function ended(child: Deno.ChildProcess) {
  const { code, stdout, stderr } = await child.output();
  const [out, said] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out, said };
}

async function runServed(server: GlesLayerServer, ...words: string[]) {
  const child = start(server.library, ...words);
  await child.stdin.close();
  return await ended(child);
}

/** A layer that hooks all commands and passes on. */
function seeing(): { layer: GlesLayer; seen: Record<string, unknown[][]> } {
  const seen: Record<string, unknown[][]> = {};
  const anyCommand: GlesLayer["anyCommand"] = (name) => (next, ...args) => {
    (seen[name] ??= []).push(args);
    return next(...args);
  };
  return { layer: defineGlesLayer({ name: "seeing", anyCommand }), seen };
}

for (const listen of [undefined, "tcp:127.0.0.1:0"]) {
  const by = listen ? "a socket" : "shared memory";
  Deno.test(
    `serveGlesLayers() by ${by}: arguments and results of every kind, as without layers`,
    NEEDS,
    () =>
      withFolderAsync(async (folder) => {
        const alone = start(await writeGlesLayerFiles(folder, { processor: "x86_64" }), "arguments");
        await alone.stdin.close();
        const wanted = await ended(alone), { layer, seen } = seeing();
        assertEquals([wanted.code, wanted.said], [0, ""]);
        assert(wanted.out.includes("\nresults 12.5 100 101 102 0x123456789abc 1\nunknown 1\nmissing 1\n"), wanted.out);
        await using server = await serveGlesLayers({ layers: [layer], listen });
        assertEquals(await runServed(server, "arguments"), wanted);
        assertEquals(seen.glBlendColor, [[0.25, 0.5, 0.75, 1]]);
        assertEquals(seen.glClearBufferfi, [[0x84f9, -1, 0.125, -7]]);
        assertEquals(seen.glSampleCoverage, [[0.5, 1]]);
        assertEquals(seen.glPrimitiveBoundingBox, [[1, 2, 3, 4, 5, 6, 7, 8.5]]);
        assertEquals(seen.glTexSubImage3D[0].slice(0, 10), [0x806f, 1, -2, 3, -4, 5, 6, 7, 0x1908, 0x1401]);
        assertEquals(seen.glGetPathLengthNV, [[3, -2, 10]]);
        assertEquals(seen.eglPresentationTimeANDROID, [[0x1000n, 0x2000n, BigInt.asUintN(64, -5n)]]);
      }),
  );

  Deno.test(
    `serveGlesLayers() by ${by}: glesApiProfile times arguments and results of every kind, and changes none`,
    NEEDS,
    async () => {
      const profile = glesApiProfile();
      await using plain = await serveGlesLayers({ layers: [], listen });
      const wanted = await runServed(plain, "arguments");
      await plain.close();
      await using server = await serveGlesLayers({ layers: [profile.layer], listen });
      assertEquals(await runServed(server, "arguments"), wanted);
      server.drain();
      const calls = new Map(profile.rows().map((row) => [row.command, row.calls]));
      const kinds = ["glBlendColor", "glClearBufferfi", "glPrimitiveBoundingBox", "glTexSubImage3D"];
      assertEquals(kinds.map((name) => calls.get(name)), [1, 1, 1, 1]); // the program just ends, and sends its last notes
    },
  );

  Deno.test(
    `serveGlesLayers() by ${by}: hooks change arguments and results, read memory and throw`,
    NEEDS,
    async () => {
      const read: unknown[] = [], errors: string[] = [];
      const layer = defineGlesLayer({
        name: "changing",
        commands: {
          glBlendColor: (next, red, green, blue, alpha) => next(alpha, blue, green, red),
          glTexSubImage3D(next, ...args) {
            read.push(this.readString(args[10]));
            this.below.glSampleCoverage(0.25, 0);
            next(...args);
            next(...args.with(10, this.write("other pixels")) as typeof args);
          },
          glGenBuffers(next, count, buffers) {
            next(count, buffers);
            read.push(...new Uint32Array(this.read(buffers, 4 * count).buffer));
          },
          glGetPathLengthNV: (next, ...args) => next(...args) / 4,
          eglGetCurrentContext: () => 0xabcdef0123n,
          eglPresentationTimeANDROID() {
            throw new Error("no time");
          },
          glPrimitiveBoundingBox: (() => 1n) as unknown as () => void,
        },
      });
      const onError = (error: unknown) => errors.push((error as Error).message);
      await using server = await serveGlesLayers({ layers: [layer], listen, onError });
      const { code, out, said } = await runServed(server, "arguments");
      const lines = out.split("\n");
      assertEquals([code, said, errors], [0, "", ["no time"]]);
      assertEquals(lines[0], "glBlendColor 1 0.75 0.5 0.25");
      assertEquals(lines.filter((line) => line.startsWith("glSampleCoverage")), [
        "glSampleCoverage 0.5 1",
        "glSampleCoverage 0.25 0",
      ]);
      const texts = lines.filter((line) => line.startsWith("glTexSubImage3D")).map((line) => line.split("0x1401 ")[1]);
      assertEquals(texts, ["pixels", "other pixels"]);
      assert(lines.includes("results 3.125 100 101 102 0xabcdef0123 0"), out);
      assertEquals(read, ["pixels", 100, 101, 102]);
    },
  );

  Deno.test(
    `serveGlesLayers() by ${by}: five threads, each with its calls in order, and nothing stays`,
    NEEDS,
    async () => {
      const round = async () => {
        const { layer, seen } = seeing();
        await using server = await serveGlesLayers({ layers: [layer], listen });
        assertEquals(await runServed(server, "threads", "5"), { code: 0, out: "500 calls\n", said: "" });
        const threads = Map.groupBy(seen.glUniform2f, ([number]) => number);
        assertEquals([...threads.keys()].sort(), [0, 1, 2, 3, 4]);
        for (const [number, calls] of threads) {
          assertEquals(calls, Array.from({ length: 100 }, (_, time) => [number, time, time / 2]));
        }
      };
      await round(); // what stays for good
      const before = [openFiles(), openBlocks()];
      await round();
      assertEquals([openFiles(), openBlocks()], before);
    },
  );
}

/** Lets the program take its next step, and returns what it printed. */
function stepper(child: Deno.ChildProcess) {
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader(), writer = child.stdin.getWriter();
  const read = async () => (await lines.read()).value?.trim();
  const step = async () => {
    await writer.write(new TextEncoder().encode("\n"));
    return await read();
  };
  const end = async () => {
    await writer.close();
    const said = await new Response(child.stderr).text(), { code } = await child.status;
    await lines.cancel();
    return { code, said };
  };
  return { read, step, end };
}

function covering(name: string, by: number): GlesLayer {
  return defineGlesLayer({
    name,
    commands: { glSampleCoverage: (next, value, invert) => next(value + by, invert) },
  });
}

Deno.test(
  "serveGlesLayers(): layers come, are replaced and go while a program runs, and the server may end",
  NEEDS,
  async () => {
    const one = covering("one", 1), two = covering("two", 2), four = covering("four", 4);
    const server = await serveGlesLayers({ layers: [one] });
    const child = start(server.library, "steps", "6"), { read, step, end } = stepper(child);
    assertEquals(await read(), "glSampleCoverage 1.5 0");
    server.attach(two);
    assertEquals(await step(), "glSampleCoverage 3.5 1");
    server.replace(one, four);
    assertEquals(await step(), "glSampleCoverage 6.5 0");
    server.detach(two);
    assertEquals(await step(), "glSampleCoverage 4.5 1");
    const other = defineGlesLayer({ name: "other", commands: { glClear: (next, mask) => next(mask) } });
    assertThrows(() => server.attach(other), TypeError, "hooks glClear, which no layer hooked at the start");
    await server.close();
    assertEquals([await step(), await step()], ["glSampleCoverage 0.5 0", "glSampleCoverage 0.5 1"]);
    assertEquals(await end(), { code: 0, said: "" });
  },
);

Deno.test("serveGlesLayers(): a program goes on and says so once when a hook takes too long", NEEDS, async () => {
  const errors: unknown[] = [];
  const slow = defineGlesLayer({
    name: "slow",
    commands: {
      glSampleCoverage(next, ...args) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
        next(...args);
      },
    },
  });
  await using server = await serveGlesLayers({ layers: [slow], timeout: 200, onError: (error) => errors.push(error) });
  const { code, out, said } = await runServed(server, "arguments");
  assertEquals([code, said, errors], [0, GONE, []]);
  assert(out.includes("glSampleCoverage 0.5 1\n"), out);
});

for (const listen of [undefined, "tcp:127.0.0.1:0"]) {
  const road = listen ? "a socket" : "shared memory";
  Deno.test(
    `serveGlesLayers() with policies: noted calls are heard of later, skipped ones never, through ${road}`,
    NEEDS,
    async () => {
      const heard: [string, unknown][] = [], { layer, seen } = seeing();
      const hearing = {
        ...layer,
        recorded: ({ command, args }: { command: string; args: unknown }) => heard.push([command, args]),
      };
      await using server = await serveGlesLayers({
        layers: [hearing as GlesLayer],
        listen,
        policies: { glBlendColor: "record", glClearBufferfi: "record", glSampleCoverage: "skip" },
      });
      assertEquals((await runServed(server, "arguments")).code, 0);
      server.drain();
      assertEquals(heard, [["glBlendColor", [0.25, 0.5, 0.75, 1]], ["glClearBufferfi", [0x84f9, -1, 0.125, -7]]]);
      assertEquals([seen.glBlendColor, seen.glSampleCoverage, seen.glPrimitiveBoundingBox?.length], [
        undefined,
        undefined,
        1,
      ]);
    },
  );
}

Deno.test(
  "serveGlesLayers(): a program that unloads the library and loads the library again keeps its layers",
  NEEDS,
  async () => {
    const { layer, seen } = seeing();
    await using server = await serveGlesLayers({ layers: [layer] });
    const { code, said } = await runServed(server, "twice");
    assertEquals([code, said, server.connected], [0, "", 1]);
    assertEquals(seen.glBlendColor, Array(2).fill([0.25, 0.5, 0.75, 1]));
  },
);

Deno.test(
  "serveGlesLayers(): a hook without the result that the command has is an error, and the program goes on",
  NEEDS,
  async () => {
    const errors: string[] = [];
    const layer = defineGlesLayer({
      name: "wrong",
      commands: { eglGetCurrentContext: (() => undefined) as unknown as () => bigint },
    });
    const onError = (error: unknown) => errors.push((error as Error).message);
    await using server = await serveGlesLayers({ layers: [layer], onError });
    const { code, out } = await runServed(server, "arguments");
    assertEquals([code, out.includes("results 12.5 100 101 102 (nil) 1\n")], [0, true]);
    assertEquals(errors, [
      "A hook of eglGetCurrentContext returned undefined: return what next() returns, or a value of that type",
    ]);
  },
);

Deno.test("serveGlesLayers() has variables for programs of this processor, and says that others cannot be reached so", async () => {
  const options = { layers: [], listen: "tcp:127.0.0.1:0" } as const, own = { LD_LIBRARY_PATH: "/elsewhere" };
  if (mesa.found && Deno.build.arch === "x86_64") {
    await using server = await serveGlesLayers(options);
    assertEquals(server.environment(own), { LD_LIBRARY_PATH: `${server.folder}/programs:/elsewhere` });
  }
  const runsOn = Deno.build.arch === "x86_64" ? "aarch64-linux" : "x86_64-linux";
  await using server = await serveGlesLayers({ ...options, runsOn });
  assertThrows(() => server.environment(), TypeError, "Cannot put layers in the place of libEGL");
});
