import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { serveLayers } from "../../../workbench/layers.ts";
import { defineLayer } from "../../../loader/mod.ts";
import { VK_SUCCESS } from "../../../loader/vk.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { openBlocks } from "../../../ffi/block.ts";
import { compileProgram } from "../../support/compile.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { mappedAt, openFiles } from "../../support/open_files.ts";
import { NEEDS_PROGRAMS, runServed } from "./programs.ts";
import { until } from "../../support/until.ts";

const HOSTILE = NEEDS_PROGRAMS.ignore ? "" : compileProgram("elsewhere_hostile")!;
const OCCUPIED =
  "pumice: this program uses the addresses at which it would share memory with the layers; it goes on without them\n";
const REFUSED =
  "pumice: the process with the layers cannot serve this program, and says why; the program goes on without them\n";
const GONE = "pumice: the process with the layers does not answer; the program goes on without them\n";
const PRIVILEGED = "pumice: a privileged program gets no layers of another process\n";
const THREE = "1024 1024 1024\n";

/** Passes on, reads every struct that makes a buffer, and counts. */
function reading() {
  const seen = { buffers: 0 };
  const layer = defineLayer({
    name: "VK_LAYER_TEST_reading",
    anyCommand: () => (next, ...args) => next(...args),
    commands: {
      vkCreateBuffer(next, device, pCreateInfo, ...rest) {
        this.read("VkBufferCreateInfo", pCreateInfo);
        seen.buffers++;
        return next(device, pCreateInfo, ...rest);
      },
    },
  });
  return { seen, layer };
}

Deno.test(
  "serveLayers() lets a thread go on that waits for the hooks of another, which waits for that thread",
  NEEDS_PROGRAMS,
  async () => {
    const log: string[] = [], began: bigint[] = [], ended: bigint[] = [];
    let queue = 0n;
    const waiting = defineLayer({
      name: "VK_LAYER_TEST_waiting",
      anyCommand: () => (next, ...args) => next(...args),
      commands: {
        vkGetDeviceQueue(next, device, family, index, pQueue) {
          next(device, family, index, pQueue);
          queue = peek64(pQueue);
        },
        // hooks run one at a time: this one runs amid the wait of the first thread once that has begun
        vkGetFenceStatus: (next, ...args) => began.length > 0 ? VK_SUCCESS : next(...args),
        vkWaitForFences(next, device, count, pFences, ...rest) {
          const fence = peek64(pFences);
          if (began.push(fence) === 2) this.below(device).vkQueueSubmit(queue, 0, 0n, began[0]);
          const result = next(device, count, pFences, ...rest);
          ended.push(fence);
          return result;
        },
      },
    });
    await using server = await serveLayers({ layers: [waiting], timeout: Infinity, log: (text) => log.push(text) });
    const { stdout, stderr } = await runServed(server, [HOSTILE, "crosswise"]);
    assertEquals([stdout, stderr], ["first thread: 0\nother thread: 0\n", ""]);
    assertEquals(ended, began.toReversed());
    assertEquals(log.length, 1);
    assertMatch(log[0], /^vkWaitForFences of thread \d+ went on with the result of "next"/);
  },
);

Deno.test(
  "serveLayers() outlives programs that fork, run another program, have no standard input, and pass wrong addresses",
  NEEDS_PROGRAMS,
  async () => {
    const errors: string[] = [], { seen, layer } = reading();
    await using server = await serveLayers({ layers: [layer], onError: (error) => errors.push(`${error}`) });
    const rows: readonly [what: string, stdout: string, buffers: number][] = [
      ["fork", `child: ${THREE}parent: ${THREE}`, 3],
      ["exec", `plain: ${THREE}`, 4],
      ["closed", `closed: ${THREE}`, 3],
      ["unmapped", `-3\nafter: ${THREE}`, 3],
    ];
    for (const [what, stdout, buffers] of rows) {
      seen.buffers = 0;
      assertEquals(await runServed(server, [HOSTILE, what]), { code: 0, stdout, stderr: "" }, what);
      assertEquals([what, seen.buffers, server.programs], [what, buffers, 0]);
    }
    assertEquals(errors.length, 1);
    assertStringIncludes(errors[0], "0x7000");
  },
);

Deno.test(
  "serveLayers() gives no layers to a privileged program, nor to one with something else at their place",
  NEEDS_PROGRAMS,
  async () => {
    const { seen, layer } = reading();
    await using server = await serveLayers({ layers: [layer] });
    const guarded = await runServed(server, [HOSTILE, "protected"]);
    assertEquals(guarded, { code: 0, stdout: `protected: ${THREE}`, stderr: PRIVILEGED });
    const place = mappedAt("pumice-layers");
    const occupied = await runServed(server, [HOSTILE, "occupied", `0x${place.toString(16)}`]);
    assertEquals(occupied, { code: 0, stdout: `occupied: ${THREE}42\n`, stderr: OCCUPIED });
    assertEquals([seen.buffers, server.connected], [0, 0]);
  },
);

Deno.test("serveLayers() can end while a program is at work, which goes on silently", NEEDS_PROGRAMS, async () => {
  const round = async () => {
    const { seen, layer } = reading();
    const server = await serveLayers({ layers: [layer] });
    const running = runServed(server, [HOSTILE, "many", "20000"]);
    await until("100 buffers are seen", () => seen.buffers >= 100);
    await server.close();
    assertEquals(await running, { code: 0, stdout: `many: ${THREE}`, stderr: "" });
    assert(seen.buffers < 20_000, `${seen.buffers}`);
  };
  await round(); // binds functions
  const before = [openFiles(), openBlocks()];
  await round();
  assertEquals([openFiles(), openBlocks()], before);
});

Deno.test(
  "serveLayers() serves one of two programs that have all at the same addresses, and says why not the other",
  NEEDS_PROGRAMS,
  () =>
    withFolderAsync(async (folder) => {
      const log: string[] = [], { seen, layer } = reading(), line = ["setarch", Deno.build.arch, "-R", HOSTILE];
      const file = { UNTIL: `${folder}/file` };
      await using server = await serveLayers({ layers: [layer], log: (text) => log.push(text) });
      const first = runServed(server, [...line, "stay"], file);
      await until("the first program makes a buffer", () => seen.buffers !== 0);
      const second = await runServed(server, [...line, "second"], file);
      assertEquals([second, server.connected], [{ code: 0, stdout: `second: ${THREE}`, stderr: REFUSED }, 1]);
      assertEquals(log.length, 1);
      assertStringIncludes(log[0], "its memory is at the same addresses as that of process");
      Deno.writeTextFileSync(file.UNTIL, "");
      assertEquals(await first, { code: 0, stdout: "", stderr: "" });
      assertEquals(await runServed(server, [...line, "third"], file), {
        code: 0,
        stdout: `third: ${THREE}`,
        stderr: "",
      });
      assertEquals(server.connected, 2);
    }),
);

Deno.test("serveLayers() refuses texts without an end, and reads long ones as they are", NEEDS_PROGRAMS, async () => {
  const errors: string[] = [], lengths: number[] = [];
  const layer = defineLayer({
    name: "VK_LAYER_TEST_naming",
    commands: {
      vkCreateInstance(next, pCreateInfo, ...rest) {
        lengths.push(`${this.read("VkInstanceCreateInfo", pCreateInfo).pApplicationInfo?.pApplicationName}`.length);
        return next(pCreateInfo, ...rest);
      },
    },
  });
  await using server = await serveLayers({ layers: [layer], onError: (error) => errors.push(`${error}`) });
  assertEquals((await runServed(server, [HOSTILE, "endless", "1000000"])).stdout, "0\n");
  assertEquals((await runServed(server, [HOSTILE, "endless", "100000000"])).stdout, "-3\n");
  assertEquals([lengths, errors.length], [[1_000_000], 1]);
  assertStringIncludes(errors[0], "there is no NUL within 1048576 bytes");
});

for (const policy of ["block", "record"] as const) {
  for (const listen of [undefined, "tcp:127.0.0.1:0"]) {
    const by = listen ? "a socket" : "shared memory";
    Deno.test(
      `serveLayers() by ${by}, policy ${policy}, touches no file of a program that closes all that it does not know, and opens others`,
      NEEDS_PROGRAMS,
      async () => {
        await using server = await serveLayers({ layers: [reading().layer], listen, policies: policy });
        const { code, stdout, stderr } = await runServed(server, [HOSTILE, "files"]);
        assertEquals([code, stdout], [0, `before: ${THREE}after: ${THREE}128 files, 0 bytes\n`]);
        assertEquals(stderr, listen ? GONE : ""); // its connections are closed
      },
    );
  }
}
