import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import * as backends from "../../hwc/backends/backend.ts";
import * as egl from "../../egl/mod.ts";
import * as ffi from "../../ffi/mod.ts";
import * as hwc from "../../hwc/mod.ts";
import * as layers from "../../workbench/layers.ts";
import * as loader from "../../loader/mod.ts";
import * as wsi from "../../wsi/mod.ts";
import { check } from "../../cli/commands/info.ts";
import { checkRequest } from "../../cli/check/command.ts";
import { DEFAULT_CONTEXTS } from "../../egl/requirements/requirements.ts";

const { GraphicsError } = ffi;

/** One error of each class, with what its fields must be: code, name of the code, command, sentence. */
const ERRORS: [InstanceType<typeof GraphicsError>, string, [unknown, string, string?, string?]][] = [
  [new ffi.NativeError("closed", "it is closed"), "NativeError", ["closed", "closed", undefined, "it is closed"]],
  [new loader.DriverError("unusable", "/x.so", "no"), "DriverError", ["unusable", "unusable", undefined, "no"]],
  [new layers.RecordingError("changed", 3, "no"), "RecordingError", ["changed", "changed", undefined, "no"]],
  [new wsi.WsiError("bad-size", "no"), "WsiError", ["bad-size", "bad-size", undefined, "no"]],
  [new backends.CompositionError("device", "no"), "CompositionError", ["device", "device", undefined, "no"]],
  [new loader.VulkanError("vkCreateDevice", -4, "make another"), "VulkanError", [
    -4,
    "VK_ERROR_DEVICE_LOST",
    "vkCreateDevice",
    "make another",
  ]],
  [new egl.EglError("eglInitialize", 0x3003, "close one"), "EglError", [
    0x3003,
    "EGL_BAD_ALLOC",
    "eglInitialize",
    "close one",
  ]],
  [new hwc.KmsError("no-card", "there is none"), "KmsError", ["no-card", "no-card", undefined, "there is none"]],
  [new hwc.HwcError("createLayer", 2, "name another"), "HwcError", [
    2,
    "HWC2_ERROR_BAD_DISPLAY",
    "createLayer",
    "name another",
  ]],
];

for (const [error, name, [code, codeName, command, sentence]] of ERRORS) {
  Deno.test(`${name} has the fields that every error has`, () => {
    assert(error instanceof GraphicsError && error instanceof Error);
    assertEquals(error.name, name);
    assertEquals([error.code, error.codeName, error.command, error.sentence], [code, codeName, command, sentence]);
    const number = name === "EglError" ? "0x3003" : code;
    assertEquals(error.message, command ? `${command} failed: ${codeName} (${number}); ${sentence}` : sentence);
    assert(!("result" in error) && !("error" in error), "an old name is left");
  });
}

Deno.test("every error class of the public entries has the fields that every error has", () => {
  const known = new Set(ERRORS.map(([error]) => error.constructor));
  const found = [ffi, loader, layers, wsi, egl, hwc].flatMap((entry) => Object.values(entry))
    .filter((value) => typeof value === "function" && value.prototype instanceof Error && value !== GraphicsError);
  assertEquals(found.filter((each) => !known.has(each as never)).map((each) => (each as { name: string }).name), []);
});

Deno.test("VulkanError, EglError: the sentence says what was returned where there is nothing to advise", () => {
  assertEquals(new loader.VulkanError("vkCreateDevice", -4).sentence, "the command returned VK_ERROR_DEVICE_LOST (-4)");
  assertEquals(new egl.EglError("eglX", 0x9999).sentence, "the command reported 0x9999 (0x9999)");
});

Deno.test("check: --contexts has the default of eglRequirements()", async () => {
  const { contexts } = checkRequest({
    operands: [],
    json: false,
    scriptArguments: [],
    values: {},
    options: {},
    drivers: [],
  });
  assertEquals(contexts, undefined, "the library's default is taken");
  assertStringIncludes(check.options!.contexts.help, `default ${DEFAULT_CONTEXTS}`);
  const source = await Deno.readTextFile(new URL("../../egl/requirements/requirements.ts", import.meta.url));
  assertStringIncludes(source, `Default ${DEFAULT_CONTEXTS}. */\n  readonly contexts?: number;`);
});

Deno.test("log: no floor prints where nobody gave a function for it", async () => {
  const printing: string[] = [];
  for (const floor of ["ffi", "loader", "wsi", "egl", "hwc", "workbench"]) {
    await filesOf(new URL(`../../${floor}/`, import.meta.url), printing);
  }
  assertEquals(printing, []);
});

/** Adds the files below a folder in which an option's default prints. */
async function filesOf(folder: URL, printing: string[]): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const file = new URL(isDirectory ? `${name}/` : name, folder);
    if (isDirectory) await filesOf(file, printing);
    else if (name.endsWith(".ts") && /(\blog|\bsay) *(=|\?\?) *console\./.test(await Deno.readTextFile(file))) {
      printing.push(file.pathname);
    }
  }
}
