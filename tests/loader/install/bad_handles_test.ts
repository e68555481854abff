import { assert, assertEquals } from "@std/assert";
import { findCommand, firstParameter } from "../../../loader/command/registry/table.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../../loader/gen/command_table_gen.js";
import { lavapipePath, systemLoaderPath } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";
import { writeManifest } from "../driver/machine.ts";

const lavapipe = lavapipePath(), death = compileFixture("death"), system = systemLoaderPath();
const NEEDS = { ignore: needs("Mesa lavapipe", lavapipe).ignore || needs("C compiler (cc)", death).ignore };
const ABORT = 6;
/** Commands whose first argument may be NULL: the first two by the specification, the third by custom. */
const NULLABLE = ["vkDestroyInstance", "vkDestroyDevice", "vkGetDeviceProcAddr"];

/** The outcome of one call. */
interface Row {
  readonly name: string;
  readonly kind: string;
  readonly signal: number;
  readonly text: string;
  readonly result: string;
}

interface Told {
  readonly rows: readonly Row[];
  readonly unknown: readonly (Row & { readonly asked: string })[];
}

function tell(loader?: string): Told {
  return withFolder((folder) => {
    // Another loader finds this driver alone: others may not survive the fork of each call.
    const manifest = writeManifest(`${folder}/lavapipe.json`, lavapipe!);
    const env = { VK_LOADER_DEBUG: "error", VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest };
    const args = [lavapipe!, death!, ...loader ? [loader] : []];
    const { code, stdout, stderr } = runProgram("tests/loader/install/programs/bad_handles.ts", args, { env });
    assertEquals([code, code && stderr], [0, 0]);
    return JSON.parse(stdout);
  });
}

/** The Khronos loader's words about such a call. */
function sentence(name: string): string {
  const parameter = findCommand(name)!.params[0].name;
  return `${name}: Invalid ${parameter} [VUID-${name}-${parameter}-parameter]\n`;
}

Deno.test("native code that calls any command with what is no handle is told so, and ends", NEEDS, () => {
  const { rows, unknown } = tell(), wrong: Row[] = [], seen = new Set(rows.map(({ name }) => name));
  for (const row of rows) {
    const { name, kind, signal, text, result } = row;
    const isHarmless = (kind === "NULL" && NULLABLE.includes(name)) ||
      name === "vkGetInstanceProcAddr"; // asked for no name
    const expected = isHarmless ? [0, "", "0"] : [ABORT, `[Vulkan Loader] ERROR:          ${sentence(name)}`, result];
    if (expected.join() !== [signal, text, result].join()) wrong.push(row);
  }
  assertEquals(wrong.slice(0, 5), []);
  assert(seen.size > 500 && rows.length > 10 * seen.size, `${rows.length} calls of ${seen.size} commands`);
  for (const { name, asked, signal, text, result } of unknown) {
    const isAnswered = name === "vkGetInstanceProcAddr" && asked === "vkCreateInstance"; // it needs no instance
    const expected = isAnswered ? [0, ""] : [ABORT, `[Vulkan Loader] ERROR:          ${sentence(name)}`];
    assertEquals([name, asked, signal, text, result !== "0"], [name, asked, ...expected, isAnswered]);
  }
});

Deno.test("it is told so in the words of the system's loader", {
  ignore: NEEDS.ignore || needs("the system's Vulkan loader", system).ignore,
}, () => {
  const said = tell(system).rows.filter(({ text }) => text.includes("VUID"));
  assert(said.length > 300, `${said.length} calls`);
  const SLIP = "vkEnumeratePhysicalDeviceGroupsKHR"; // it tells of this one by the name without KHR
  const told = said.map(({ name, text }) => [text.slice(text.indexOf("vk")), sentence(name)]);
  assertEquals(told.filter(([theirs, ours]) => theirs !== ours && !theirs.startsWith(SLIP)), []);
});

Deno.test("firstParameter() says what the registry says", () => {
  for (const [level, names] of [["instance", INSTANCE_NAMES], ["device", DEVICE_NAMES]] as const) {
    for (const name of names.split(" ")) {
      assertEquals([name, firstParameter(level, name)], [name, findCommand(name)!.params[0].name]);
    }
  }
});
