import { assert, assertEquals, assertMatch } from "@std/assert";
import { lavapipePath, swiftshaderPath } from "../../tools/setup/parts.ts";
import { manifestIn } from "../support/pasted.ts";
import { needs } from "../support/require.ts";
import { withFolder } from "../support/temporary.ts";
import { assertNear, picture, runExample } from "./example.ts";

const DRIVERS = [
  { name: "Mesa lavapipe", path: lavapipePath()!, device: "llvmpipe" },
  { name: "SwiftShader", path: swiftshaderPath()!, device: "SwiftShader" },
];

/** SwiftShader's lines about structs that it does not know. */
const SWIFTSHADER_SAYS = /^.*WARNING: UNSUPPORTED: .*\n/gm;

/** The line that Mesa's implicit layer has libwayland print where no session runs. */
const WAYLAND_SAYS = "error: XDG_RUNTIME_DIR is invalid or not set in the environment.\n";

/** Runs an example where the machine has these drivers alone; returns its lines. */
function linesOf(file: string, drivers: readonly string[]): string[] {
  return withFolder((folder) => {
    const manifests = drivers.map((driver, index) => {
      Deno.mkdirSync(`${folder}/${index}`);
      return manifestIn(`${folder}/${index}`, driver);
    });
    const { code, stdout, stderr, output } = runExample(file, { VK_DRIVER_FILES: manifests.join(":") });
    assertEquals([code, stderr.replace(SWIFTSHADER_SAYS, "").replaceAll(WAYLAND_SAYS, "")], [0, ""], output);
    return stdout.trim().split("\n");
  });
}

/** The checks of what each example prints and draws, on any driver. */
const EXAMPLES: Record<string, (lines: readonly string[], device: string) => void> = {
  "devices.ts": (lines, device) => {
    assertMatch(lines[0], new RegExp(`^${device}.*: processor, Vulkan 1\\.\\d\\.\\d+, \\d+\\.\\d GiB$`));
    assertMatch(lines.slice(1).join("\n"), /^\nDrivers\n {2}taken/);
  },
  "compute.ts": (lines, device) => {
    assertEquals(lines[0], "77031 takes 350 steps, the most below 100000");
    assertMatch(lines[1], new RegExp(`^${device}.* worked \\d+\\.\\d ms$`));
  },
  "triangle.ts": () => {
    const { size, at } = picture("triangle");
    assertEquals(size, [640, 480]);
    assertNear(at(320, 60), [245, 6, 6]);
    assertNear(at(5, 5), [13, 13, 26], 2);
  },
  "textured_scene.ts": () => {
    const { size, at } = picture("textured_scene");
    assertEquals(size, [800, 600]);
    assertNear(at(10, 10), [140, 179, 217], 2);
    const [[red, , blue], [topRed, , topBlue]] = [at(390, 440), at(395, 110)];
    assert(red > blue + 30 && topBlue > topRed + 15, "the tower is brown below and blue at the top");
    assert(new Set(Array.from({ length: 60 }, (_, index) => at(550 + index, 520).join())).size > 10, "a texture");
  },
  "trace.ts": (lines, device) => {
    assert(lines.some((line) => /vkCmdFillBuffer\(.*size=64, data=7\)/.test(line)), lines.join("\n"));
    assert(lines.some((line) => /vkQueueSubmit\(.*\) = VK_SUCCESS/.test(line)), lines.join("\n"));
    assertMatch(lines.at(-1)!, new RegExp(`^The buffer holds 7 on ${device}`));
  },
  "native_program.ts": (lines, device) => {
    assertMatch(lines[0], new RegExp(`^${device}.*: 0, 1, 4, 9, 16, 25, 36, 49, 64, 81 …$`));
    assertEquals(lines.slice(1).length, 8);
    for (const line of lines.slice(1)) assertMatch(line, /^vk\w+: [1-9]\d*$/);
  },
  "faults.ts": (lines, device) => {
    assertMatch(lines[0], /^image 6 is smaller: .*VK_ERROR_OUT_OF_DEVICE_MEMORY/);
    assertEquals(lines.slice(1, 3), ["frame 1: done", "frame 2: done"]);
    assertMatch(lines[3], /^the device is lost: vkQueueSubmit .*VK_ERROR_DEVICE_LOST/);
    assertMatch(lines[4], new RegExp(`^another device works: ${device}`));
    assertEquals(lines.slice(5), [
      "injected: VK_ERROR_OUT_OF_DEVICE_MEMORY in call 6 of vkAllocateMemory",
      "injected: VK_ERROR_DEVICE_LOST in call 3 of vkQueueSubmit",
    ]);
  },
};

for (const { name, path, device } of DRIVERS) {
  for (const [file, check] of Object.entries(EXAMPLES)) {
    Deno.test(`examples/${file} shows what its header says, with these permissions: ${name}`, needs(name, path), () => {
      check(linesOf(file, [path]), device);
    });
  }
}

const [lavapipe, swiftshader] = DRIVERS;
const BOTH = needs("Mesa lavapipe and SwiftShader", lavapipe.path && swiftshader.path);

Deno.test("examples/replay.ts records on one driver and replays on the other", BOTH, () => {
  for (const [from, to] of [[lavapipe, swiftshader], [swiftshader, lavapipe]]) {
    const [recorded, file, read, replayed] = linesOf("replay.ts", [from.path, to.path]);
    assertMatch(recorded, new RegExp(`^recorded on ${from.device}`));
    assertMatch(file, /^out\/replay\.jsonl: \d+ lines$/);
    const [, differing] = /^VkBuffer#\d+: (\d+) of 307200 bytes differ$/.exec(read)!;
    assert(Number(differing) < 3072, read);
    assertMatch(replayed, new RegExp(`^replayed \\d+ calls on ${to.device}`));
  }
});

Deno.test("examples/driver_diff.ts compares two drivers by their features, limits and pictures", BOTH, () => {
  const lines = linesOf("driver_diff.ts", [lavapipe.path, swiftshader.path]), text = lines.join("\n");
  assertEquals(new Set(lines.slice(0, 2).map((line) => line.split(/[ (]/)[1])), new Set(["llvmpipe", "SwiftShader"]));
  assertMatch(text, /^features\.\w+: [01], [01]$/m);
  assertMatch(text, /^properties\.limits\.\w+: \S+, \S+$/m);
  assertMatch(text, /^extensions: \d+ only in 1, \d+ only in 2$/m);
  const [, differing] = /^out\/driver_diff\.png: (\d+) of 65536 pixels differ$/m.exec(text)!;
  const { size, at } = picture("driver_diff");
  assertEquals(size, [768, 256]);
  assertNear(at(128, 64), at(384, 64), 3);
  let white = 0;
  for (let index = 0; index < 65536; index++) if (at(512 + index % 256, index >> 8)[0] === 255) white++;
  assertEquals(white, Number(differing));
});

Deno.test(
  "examples/driver_diff.ts says how to name a second driver where there is one",
  needs("Mesa lavapipe", lavapipe.path),
  () => {
    const lines = linesOf("driver_diff.ts", [lavapipe.path]);
    assertMatch(lines[0], /VK_DRIVER_FILES=/);
    assertEquals(lines.at(-1), "out/driver_diff.png: 0 of 65536 pixels differ");
  },
);
