import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { NEEDS_PROGRAMS } from "../../workbench/layer_server/programs.ts";
import { compileProgram } from "../../support/compile.ts";
import { withFolder } from "../../support/temporary.ts";
import { exec, layerModule } from "./exec.ts";

const HOSTILE = NEEDS_PROGRAMS.ignore ? "" : compileProgram("elsewhere_hostile")!;
const GONE = "pumice: the process with the layers does not answer; the program goes on without them\n";
const THREE = "1024 1024 1024\n";
const SIGKILL = "9", SIGSTOP = "19";

/** Sends the own process a signal at the second buffer. */
const signalling = (signal: string, place: "before" | "after") =>
  `commands: {
    vkCreateBuffer(next, ...args) {
      if (++buffers === 2 && "${place}" === "before") Deno.kill(Deno.pid, "${signal}");
      const result = next(...args);
      if (buffers === 2 && "${place}" === "after") Deno.kill(Deno.pid, "${signal}");
      return result;
    },
  }`;

Deno.test(
  "cli exec: a program goes on and says so once when the process with the layers is killed or stopped",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const passing = layerModule(folder, "passing", "anyCommand: () => (next, ...args) => next(...args)");
      const twice = `before: ${THREE}after: ${THREE}`, once = `plain: ${THREE}`;
      const rows: readonly [layer: string, line: string[], stdout: string, code: number, stderr?: string][] = [
        [passing, ["kill", SIGKILL], twice, 137],
        [passing, ["kill", SIGSTOP], twice, 0],
        [passing, ["silenced", SIGKILL], twice, 137, ""],
        ...(["before", "after"] as const).flatMap((place) =>
          ([["SIGKILL", 137], ["SIGSTOP", 0]] as const).map(([signal, code]) => {
            const module = layerModule(folder, `${signal}_${place}`, signalling(signal, place), "let buffers = 0;");
            return [module, ["plain"], once, code] as [string, string[], string, number];
          })
        ),
      ];
      for (const [layer, line, stdout, code, stderr = GONE] of rows) {
        const run = exec(folder, [`--layer=${layer}`, "--timeout=1.5", "--", HOSTILE, ...line]);
        const name = `${layer} ${line.join(" ")}`;
        assertEquals([run.stdout, run.stderr, run.code], [stdout, stderr, code], name);
      }
    }),
);

/** Writes random words over the slot of the call that is being answered, and has all commands handed over. */
const SCRIBBLING = `
import { mappedAt } from "${new URL("../../support/open_files.ts", import.meta.url)}";
let view: DataView | undefined, buffers = 0;
const random = () => BigInt(Math.floor(Math.random() * 2 ** 52)) * 4096n;
function scribble() {
  view ??= new DataView(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(mappedAt("pumice-layers"))!, 65536));
  const used = Array.from({ length: 59 }, (_, slot) => 4096 + 1024 * slot).filter((at) => view!.getUint32(at, true) === 1);
  for (const at of used) {
    for (let word = 1; word < 128; word++) if (word !== 2) view.setBigUint64(at + 8 * word, random(), true);
    if (buffers > 10_000) view.setBigUint64(at, 1234n, true); // no state that anybody knows
  }
  for (let at = 1024; at < 4096; at += 8) view.setBigUint64(at, 0x0101_0101_0101_0101n, true);
}
`;

Deno.test(
  "cli exec: 10,000 random messages of the process with the layers end no program that was not going to end",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const hook = `commands: {
        vkCreateBuffer(next, ...args) {
          buffers++;
          scribble();
          return -3;
        },
      }`;
      const path = layerModule(folder, "scribbling", hook, SCRIBBLING);
      const { code, stdout, stderr } = exec(folder, [
        `--layer=${path}`,
        "--timeout=1.5",
        "--",
        HOSTILE,
        "many",
        "10001",
      ]);
      assertEquals([code, stdout, stderr], [0, `many: ${THREE}`, GONE]);
    }),
);

Deno.test(
  "cli exec outlives 10,000 random messages of a program, and answers it afterwards",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const hook = `anyCommand: () => (next, ...args) => next(...args),
        commands: {
          vkCreateBuffer(next, device, info, ...rest) {
            const read = this.read("VkBufferCreateInfo", info);
            return next(device, this.write("VkBufferCreateInfo", { ...read, size: read.size * 2n }), ...rest);
          },
        }`;
      const path = layerModule(folder, "doubling", hook);
      const { code, stdout, stderr } = exec(folder, [`--layer=${path}`, "--", HOSTILE, "garbage", "10000"]);
      const doubled = THREE.replaceAll("1024", "2048");
      assertEquals([code, stdout], [0, `before: ${doubled}after: ${doubled}`], stderr.slice(-2000));
      assertStringIncludes(stderr, "VK_LAYER_TEST_doubling, vk");
      assert(!stderr.includes("panicked"), stderr.slice(-2000));
    }),
);
