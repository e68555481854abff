import { EGL, LAYERS } from "./others.ts";
import type { Mistake } from "./mistake.ts";
import { VULKAN } from "./vulkan.ts";

/** All, as the page lists them. */
export const MISTAKES: readonly Mistake[] = [...VULKAN, ...LAYERS, ...EGL];

/** The beginning that every mistake can use. */
const PRELUDE = `
import { openGpu } from "@pumice/gfx";
import { defineLayer, type Layer, loadVulkan } from "@pumice/gfx/loader";
import { EGL_RED_SIZE, loadEgl } from "@pumice/gfx/egl";
import { GL_ARRAY_BUFFER, GL_COLOR_BUFFER_BIT, GL_STATIC_DRAW, GL_TRIANGLES } from "@pumice/gfx/gl";
import {
NAMES
} from "@pumice/gfx/vk";

const pQueueCreateInfos = [{ queueFamilyIndex: 0, pQueuePriorities: [1] }];
const driver = Deno.args[0];
using vulkan = loadVulkan({ driver });
using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 3 << 12 | 1 << 22 } });
const [gpu] = instance.vkEnumeratePhysicalDevices();
using device = gpu.vkCreateDevice({ pQueueCreateInfos });
const queue = device.vkGetDeviceQueue(0, 0), fence = device.vkCreateFence({});
const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
using gpuTools = openGpu({ driver });
const picture = gpuTools.image({ width: 16, height: 16 }), shaders = new Uint32Array();
using egl = loadEgl({ driver: Deno.args[1] });
const gl = egl.gl, display = egl.eglGetDisplay(0n);
egl.eglInitialize(display);

/** Makes a fence above a layer. */
function loaded(layer: Layer): void {
  using vulkan = loadVulkan({ driver, layers: [layer] });
  using instance = vulkan.vkCreateInstance({});
  using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice({ pQueueCreateInfos });
  device.vkDestroyFence(device.vkCreateFence({}));
}
`;

/** Prints what the mistakes throw. */
const TELLING = `
const told = mistakes.map((make, index) => {
  if (!seen[index]) return null;
  try {
    make();
    return null;
  } catch (error) {
    return String(error);
  }
});
console.log("told " + JSON.stringify(told));
`;

/** Vulkan's constants, which are not names of layers and extensions. */
const CONSTANTS = /(?<!")\bVK_\w+/g;

/** A program of mistakes, and the lines on which they stand. */
export interface MistakenProgram {
  /** The program. It prints what each mistake throws: a list of texts as JSON, null where nothing is thrown or seen. */
  readonly text: string;
  /** For each mistake its line, from 1. */
  readonly lines: readonly number[];
}

/** Writes the program: each mistake on one line, and what to write instead on another, which never runs. */
export function mistakenProgram(): MistakenProgram {
  const constants = new Set(MISTAKES.flatMap(({ code, instead }) => `${code} ${instead}`.match(CONSTANTS) ?? []));
  const head = PRELUDE.replace("NAMES", [...constants].join(", ")).split("\n");
  const begin = [...head, "const mistakes: (() => unknown)[] = ["];
  const between = ["];", "const _insteads: (() => unknown)[] = ["];
  const text = [
    ...begin,
    ...MISTAKES.map(({ code }) => `() => ${code},`),
    ...between,
    ...MISTAKES.map(({ instead }) => `() => ${instead},`),
    "];",
    `const seen = ${JSON.stringify(MISTAKES.map(({ thrown }) => !("unseen" in thrown)))};`,
    TELLING,
  ].join("\n");
  return { text, lines: MISTAKES.map((_, index) => begin.length + 1 + index) };
}
