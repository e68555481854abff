import { assert, assertEquals } from "@std/assert";
import { emitLayouts } from "../../../tools/generate/emit/layouts.ts";
import { emitStructs } from "../../../tools/generate/emit/structs.ts";
import { valuesByName } from "../../../tools/generate/emit/spec.ts";
import type { Registry } from "../../../tools/generate/registry/model.ts";
import { loadRegistry } from "../../../tools/generate/registry/registry.ts";
import { STRUCTS } from "../../../loader/gen/structs_gen.js";
import * as vk from "../../../loader/vk.ts";
import { needs } from "../../support/require.ts";
import { hasHeaders, headerText, printLayout, REGISTRY, runWithHeaders, structsIn } from "./c_headers.ts";

const PART = "a C compiler and the Vulkan headers (libvulkan-dev)";
const OVERLAY = new URL("../../../tools/generate/overlay.xml", import.meta.url).pathname;
const LAYOUTS = new URL("../../loader/gen/layouts_gen.txt", import.meta.url);

Deno.test(
  "layOutAll() agrees with the C compiler on every struct that the headers define",
  needs(PART, hasHeaders()),
  () => {
    const registry = systemRegistry();
    const structs = structsIn(headerText(), registry);
    assert(structs.length > 900, `only ${structs.length} structs were found in the headers`);
    assertEquals(unlike(runWithHeaders(structs.map(printLayout).join("")), linesByName(emitLayouts(registry))), []);
  },
);

Deno.test(
  "layouts_gen.txt agrees with the C compiler on every struct that has not changed since",
  needs(PART, hasHeaders()),
  () => {
    const registry = systemRegistry();
    const known = linesByName(emitStructs(registry)), generated = linesByName(STRUCTS);
    const structs = structsIn(headerText(), registry).filter(({ name }) =>
      shape(known.get(name)) === shape(generated.get(name))
    );
    const stated = linesByName(Deno.readTextFileSync(LAYOUTS));
    assert(structs.length > 800, `only ${structs.length} structs are the same in both`);
    assertEquals(unlike(runWithHeaders(structs.map(printLayout).join("")), stated), []);
  },
);

Deno.test(
  "readEnums() agrees with the C compiler on every constant that the headers define",
  needs(PART, hasHeaders()),
  () => {
    const values = [...integersIn(systemRegistry())];
    assert(values.length > 3000, `only ${values.length} constants were found in the headers`);
    assertEquals(differences(values), []);
  },
);

Deno.test(
  "the generated constants agree with the C compiler on every name that the headers define",
  needs(PART, hasHeaders()),
  () => {
    const generated = Object.entries(vk).filter(([, value]) => typeof value === "bigint" || Number.isInteger(value));
    const defined = integersIn(systemRegistry());
    const values = generated.filter(([name]) => defined.has(name) && !MOVED.test(name)) as [string, number | bigint][];
    assert(values.length > 2900, `only ${values.length} constants are the same in both`);
    assertEquals(differences(values), []);
  },
);

/** Constants that grow with each version of the registry, or were renumbered while provisional. */
const MOVED = /^VK_HEADER_VERSION|^VK_VIDEO_ENCODE_RATE_CONTROL_MODE_/;

function systemRegistry(): Registry {
  return loadRegistry([`${REGISTRY}/vk.xml`, `${REGISTRY}/video.xml`, OVERLAY]);
}

function linesByName(text: string): Map<string, string> {
  return new Map(text.split("\n").map((line) => [line.split(" ", 1)[0], line]));
}

/** The words of a line of the struct table about memory: names, types and bits, not what must be given. */
function shape(line: string | undefined): string | undefined {
  return line?.replace(/\[[^\]]*\]|[+]|=[-\d|]+|@\w+/g, "");
}

/** The whole numbers of a registry that its headers define too. */
function integersIn(registry: Registry): Map<string, number | bigint> {
  const words = new Set(headerText().match(/\b\w+\b/g));
  const isUsable = ([name, value]: [string, number | bigint]) =>
    words.has(name) && (typeof value === "bigint" || Number.isInteger(value)) && name !== "VK_LOD_CLAMP_NONE";
  return new Map([...valuesByName(registry)].filter(isUsable));
}

/** The lines that the compiler prints and the generator does not state. */
function unlike(found: string[], stated: ReadonlyMap<string, string>): string[] {
  return found.filter((line) => stated.get(line.split(" ", 1)[0]) !== line);
}

/** The constants whose value is another in C. */
function differences(values: [string, number | bigint][]): string[] {
  const printed = runWithHeaders(
    values.map(([name]) => `printf("%llu\\n", (unsigned long long)(${name}));`).join("\n"),
  );
  return values.flatMap(([name, value], index) =>
    isSame(BigInt(value), BigInt(printed[index])) ? [] : [`${name} is ${value}, in C ${printed[index]}`]
  );
}

/** Compares 64 bits; an enumerant is an int in C, so that of a flag bit 31 only the low 32 bits are the same. */
function isSame(value: bigint, found: bigint): boolean {
  if (BigInt.asUintN(64, value) === found) return true;
  return value >= 0n && value <= 0xffff_ffffn && BigInt.asUintN(32, found) === value;
}
