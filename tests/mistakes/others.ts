import type { Mistake } from "./mistake.ts";

/** Mistakes with options and layers. */
export const LAYERS: readonly Mistake[] = [
  {
    title: "An option is misspelt",
    code: 'loadVulkan({ drivers: "libvk_swiftshader.so" })',
    check: ["'drivers' does not exist in type 'VulkanOptions'. Did you mean to write 'driver'?"],
    thrown: ['Cannot use option "drivers" of loadVulkan(), for there is none: did you mean "driver"?'],
    instead: 'loadVulkan({ driver: "libvk_swiftshader.so" })',
  },
  {
    title: "An option does not have that word",
    code: 'loadVulkan({ platform: "windows" })',
    check: [`Type '"windows"' is not assignable to type '"linux" | "android" | "auto" | undefined'`],
    thrown: ['Cannot use "windows" as option "platform" of loadVulkan(): give "auto", "android" or "linux"'],
    instead: 'loadVulkan({ platform: "linux" })',
  },
  {
    title: "An option that has no default is missing",
    code: "gpuTools.draw({ target: picture })",
    check: ["is missing the following properties from type 'DrawOptions': vertex, fragment"],
    thrown: ['Cannot do without option "vertex" of draw(): give words of SPIR-V in a Uint32Array'],
    instead: "gpuTools.draw({ target: picture, vertex: shaders, fragment: shaders })",
  },
  {
    title: "A layer hooks a command that is misspelt",
    code:
      'loaded(defineLayer({ name: "VK_LAYER_EXAMPLE_a", commands: { vkCreateBufer: (next, ...args) => next(...args) } }))',
    check: ["'vkCreateBufer' does not exist in type 'LayerHooks", "Did you mean to write 'vkCreateBuffer'?"],
    thrown: ["VK_LAYER_EXAMPLE_a: there is no Vulkan command vkCreateBufer; did you mean vkCreateBuffer?"],
    instead:
      'loaded(defineLayer({ name: "VK_LAYER_EXAMPLE_a", commands: { vkCreateBuffer: (next, ...args) => next(...args) } }))',
  },
  {
    title: "A hook passes on too little",
    code:
      'loaded(defineLayer({ name: "VK_LAYER_EXAMPLE_a", commands: { vkCreateFence: (next, device, info) => next(device, info) } }))',
    check: ["Expected 4 arguments, but got 2", "An argument for 'pAllocator' was not provided"],
    thrown: ["VK_LAYER_EXAMPLE_a calls on with a wrong pAllocator of vkCreateFence: it is missing; give a bigint"],
    instead:
      'loaded(defineLayer({ name: "VK_LAYER_EXAMPLE_a", commands: { vkCreateFence: (next, ...args) => next(...args) } }))',
  },
  {
    title: "A hook takes a handle for a number",
    code:
      'loaded(defineLayer({ name: "VK_LAYER_EXAMPLE_a", commands: { vkDeviceWaitIdle: (next, device: number) => next(device) } }))',
    check: [
      "Types of parameters 'device' and 'device' are incompatible",
      "'bigint' is not assignable to type 'number'",
    ],
    thrown: { unseen: "types are gone when a program runs, and the hook gets a bigint" },
    instead:
      'loaded(defineLayer({ name: "VK_LAYER_EXAMPLE_a", commands: { vkDeviceWaitIdle: (next, device) => next(device) } }))',
  },
  {
    title: "A hook returns nothing",
    code:
      'loaded(defineLayer({ name: "VK_LAYER_EXAMPLE_a", commands: { vkCreateFence: (next, ...args) => void next(...args) } }))',
    check: ["is not assignable to type 'number'"],
    thrown: ["VK_LAYER_EXAMPLE_a returns undefined from vkCreateFence: return what next() gives, or a number"],
    instead:
      'loaded(defineLayer({ name: "VK_LAYER_EXAMPLE_a", commands: { vkCreateFence: (next, ...args) => next(...args) } }))',
  },
  {
    title: "A hook is asynchronous",
    code:
      'loaded(defineLayer({ name: "VK_LAYER_EXAMPLE_a", commands: { vkCreateFence: async (next, ...args) => await next(...args) } }))',
    check: ["Type 'Promise<number>' is not assignable to type 'number'"],
    thrown: ["VK_LAYER_EXAMPLE_a returns a Promise from vkCreateFence: return what next() gives, or a number"],
    instead:
      'loaded(defineLayer({ name: "VK_LAYER_EXAMPLE_a", commands: { vkCreateFence: (next, ...args) => next(...args) } }))',
  },
  {
    title: "A layer keeps state for a type that there is not",
    code: 'loaded(defineLayer({ name: "VK_LAYER_EXAMPLE_a", onCreate: { VkBufer: () => ({ hits: 0 }) } }))',
    check: ["'VkBufer' does not exist in type 'StateMakers", "Did you mean to write 'VkBuffer'?"],
    thrown: ["VK_LAYER_EXAMPLE_a: there is no Vulkan handle type VkBufer; did you mean VkBuffer?"],
    instead: 'loaded(defineLayer({ name: "VK_LAYER_EXAMPLE_a", onCreate: { VkBuffer: () => ({ hits: 0 }) } }))',
  },
];

/** Mistakes with EGL and OpenGL ES. */
export const EGL: readonly Mistake[] = [
  {
    title: "OpenGL ES: a command is misspelt",
    code: "gl.glDrawArray(GL_TRIANGLES, 0, 3)",
    check: ["Property 'glDrawArray' does not exist on type 'Gl'. Did you mean 'glDrawArrays'?"],
    thrown: ["gl.glDrawArray is not a function"],
    instead: "gl.glDrawArrays(GL_TRIANGLES, 0, 3)",
  },
  {
    title: "OpenGL ES: the name of a constant stands for its value",
    code: 'gl.glClear("GL_COLOR_BUFFER_BIT")',
    check: ["Argument of type 'string' is not assignable to parameter of type 'number'"],
    thrown: ['Cannot use "GL_COLOR_BUFFER_BIT" as "mask": give a number'],
    instead: "gl.glClear(GL_COLOR_BUFFER_BIT)",
  },
  {
    title: "OpenGL ES: an array of numbers stands for bytes",
    code: "gl.glBufferData(GL_ARRAY_BUFFER, 12, [1, 2, 3], GL_STATIC_DRAW)",
    check: ["Argument of type 'number[]' is not assignable to parameter of type 'GlData'"],
    thrown: ['as "data": give a typed array, an offset or null'],
    instead: "gl.glBufferData(GL_ARRAY_BUFFER, 12, new Float32Array([1, 2, 3]), GL_STATIC_DRAW)",
  },
  {
    title: "OpenGL ES: a count stands beside the array",
    code: 'gl.glShaderSource(1, 1, "void main() {}")',
    check: ["Expected 2 arguments, but got 3"],
    thrown: ['Cannot use 1 as "string": give a string or an array of strings'],
    instead: 'gl.glShaderSource(1, "void main() {}")',
  },
  {
    title: "EGL: a text stands for a handle",
    code: 'egl.eglGetConfigAttrib(display, "first", EGL_RED_SIZE)',
    check: ["Argument of type 'string' is not assignable to parameter of type 'EGLConfig'"],
    thrown: ['Cannot use "first" as "config": give a whole number or a bigint'],
    instead: "egl.eglGetConfigAttrib(display, egl.eglChooseConfig(display)[0], EGL_RED_SIZE)",
  },
];
