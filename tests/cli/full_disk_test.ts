import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { Unusable } from "../../workbench/process/exit_code.ts";
import { openRecording } from "../../cli/recording/recording_layer.ts";
import { recordingInfo } from "../../workbench/recordings/mod.ts";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { APP, NEEDS_PROGRAMS } from "../workbench/layer_server/programs.ts";
import { needs } from "../support/require.ts";
import { type Outcome, runProgram } from "../support/subprocess.ts";
import { mount, mountable } from "../support/small_disk.ts";
import { withFolder } from "../support/temporary.ts";
import { exec } from "./layer_server/exec.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
/** A device that has no room. */
const FULL = "/dev/full", CAN_MOUNT = mountable();

/** A script that makes a shader and so many buffers, and submits three times; "exit" has it end the process. */
function program(folder: string): string {
  const path = `${folder}/program.ts`;
  Deno.writeTextFileSync(
    path,
    `
import { loadVulkan } from "${ROOT}loader/mod.ts";
const [buffers = "1", end] = Deno.args;
using vulkan = loadVulkan();
using instance = vulkan.vkCreateInstance({});
const [gpu] = instance.vkEnumeratePhysicalDevices();
gpu.vkGetPhysicalDeviceQueueFamilyProperties();
{
  using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  const pCode = new Uint32Array(32).fill(1 << 16); // OpNop
  pCode.set([0x07230203, 0x10000, 0, 1, 0]);
  device.vkDestroyShaderModule(device.vkCreateShaderModule({ codeSize: pCode.byteLength, pCode }));
  for (let count = 0; count < Number(buffers); count++) {
    device.vkDestroyBuffer(device.vkCreateBuffer({ size: 64n, usage: 2 }));
  }
  const queue = device.vkGetDeviceQueue(0, 0);
  for (let frame = 0; frame < 3; frame++) queue.vkQueueSubmit([]);
  queue.vkQueueWaitIdle();
}
console.log("done");
if (end === "exit") Deno.exit(0);
`,
  );
  return path;
}

function runUnder(folder: string, command: string, options: readonly string[], ...args: string[]): Outcome {
  const all = [command, program(folder), `--driver=${lavapipePath()}`, ...options, "--", ...args];
  return runProgram("cli.ts", all, { flags: ["--allow-sys"], seconds: 120 });
}

/** The program goes on to its end, and what is not written is said and is a finding. */
function assertTold({ code, stdout, stderr }: Outcome, path: string): void {
  assertEquals(code, 1, stderr);
  assertMatch(stdout, /^done$/m);
  assertEquals(stderr.includes(`${path}: not written to the end: Error: Cannot write on to`), true, stderr);
  assertMatch(stderr, /is the disk full\?$/m);
  assertEquals(/^\s+at /m.test(stderr), false, stderr);
}

Deno.test("run and trace go on to the end on a full disk, say so on standard error, and exit with 1", LAVAPIPE, () => {
  withFolder((folder) => {
    for (
      const [command, ...options] of [
        ["run", `--layer=trace:${FULL}`],
        ["trace", `--out=${FULL}`],
        ["trace", "--text", `--out=${FULL}`],
        ["trace", `--perfetto=${FULL}`],
      ]
    ) {
      for (const end of ["return", "exit"]) assertTold(runUnder(folder, command, options, "1", end), FULL);
    }
  });
});

Deno.test(
  "run --layer=spirv:FOLDER and record say which of their further files the disk has no room for",
  LAVAPIPE,
  () => {
    withFolder((folder) => {
      const shaders = `${folder}/spirv`, recording = `${folder}/whole.jsonl`;
      const first = runUnder(folder, "run", [`--layer=spirv:${shaders}`, `--layer=record:${recording}`]);
      assertEquals([first.code, first.stderr], [0, ""]);
      // The same files again, on a full disk.
      for (const [path, other] of [[shaders, `${shaders}2`], [`${recording}.data`, `${folder}/cut.jsonl.data`]]) {
        Deno.mkdirSync(other);
        for (const { name } of Deno.readDirSync(path)) Deno.symlinkSync(FULL, `${other}/${name}`);
      }
      assertTold(runUnder(folder, "run", [`--layer=spirv:${shaders}2`]), `${shaders}2`);
      assertTold(runUnder(folder, "record", [`--out=${folder}/cut.jsonl`]), `${folder}/cut.jsonl`);
      assertTold(runUnder(folder, "run", [`--layer=record:${folder}/cut.jsonl`]), `${folder}/cut.jsonl`);
      assertPrefix(`${folder}/cut.jsonl`);
    });
  },
);

Deno.test(
  "record and exec do not begin a recording on a full disk, and a part of frames has no room there",
  LAVAPIPE,
  () => {
    withFolder((folder) => {
      const full = `${folder}/full.jsonl`;
      Deno.symlinkSync(FULL, full);
      assertThrows(() => openRecording(full, "program", { warn: () => {} }), Unusable);
      for (const [command, option] of [["record", "--out="], ["run", "--layer=record:"]]) {
        const { code, stderr } = runUnder(folder, command, [`${option}${full}`]);
        assertEquals([code, stderr.includes("disk full?"), /^\s+at /m.test(stderr)], [1, true, false], stderr);
      }
      const part = `${folder}/part.jsonl`;
      Deno.symlinkSync(FULL, part);
      const { code, stderr } = runUnder(folder, "record", [`--out=${part}`, "--frames=2..2"]);
      assertEquals([code, stderr.includes("disk full?"), /^\s+at /m.test(stderr)], [1, true, false], stderr);
      assertEquals(recordingInfo(`${part}.whole`).state, "whole"); // what there was room for is left
    });
  },
);

Deno.test("exec tells of a full disk for the files of its layers", NEEDS_PROGRAMS, () => {
  withFolder((folder) => {
    const { code, stdout, stderr } = exec(folder, [`--layer=trace:${FULL}`, "--", APP!, "buffers", "3"]);
    assertEquals([code, stdout, stderr.split(": Error")[0]], [1, "3072 bytes\n", `${FULL}: not written to the end`]);
  });
});

Deno.test("what is on a disk that became full is a valid beginning", { ignore: LAVAPIPE.ignore || !CAN_MOUNT }, () => {
  withFolder((folder) => {
    const disk = `${folder}/disk`, path = `${disk}/calls`;
    Deno.mkdirSync(disk);
    for (
      const [command, options, check] of [
        ["run", [`--layer=trace:${path}`], assertLines],
        ["trace", [`--out=${path}`], assertLines],
        ["trace", ["--text", `--out=${path}`], assertText],
        ["trace", [`--perfetto=${path}`], assertPackets],
        ["record", [`--out=${path}`], assertPrefix],
      ] as const
    ) {
      mount(disk, () => {
        assertTold(runUnder(folder, command, options, "4000"), path);
        assert(Deno.statSync(path).size > 4096, command);
        check(path);
      });
    }
  });
});

function assertLines(path: string): void {
  const text = Deno.readTextFileSync(path);
  assert(text.endsWith("\n"));
  text.trimEnd().split("\n").forEach((line) => JSON.parse(line));
}

function assertText(path: string): void {
  assertMatch(Deno.readTextFileSync(path), /\n$/);
}

function assertPrefix(path: string): void {
  assertLines(path);
  assertEquals(recordingInfo(path).state, "cut off");
}

/** A trace of Perfetto is a row of packets: field 1, a length, so many bytes. */
function assertPackets(path: string): void {
  const bytes = Deno.readFileSync(path);
  let at = 0;
  while (at < bytes.length) {
    assertEquals(bytes[at++], 10);
    let length = 0;
    for (let shift = 0;; shift += 7) {
      const byte = bytes[at++];
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    at += length;
  }
  assertEquals(at, bytes.length);
}
