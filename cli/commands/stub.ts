import type { Command } from "../command.ts";

/** `stub`: linked programs ask for the name that distributions give to the development file, and so does this loader answer. */
export const stub: Command = {
  operand: "DIR",
  summary: "write a libvulkan.so for linking native programs",
  options: {},
  run: async (request, print) => (await import("../stub.ts")).writeStub(request, print),
};

/** `layer-library`: the native layer that programs load. */
export const layerLibrary: Command = {
  operand: "DIR",
  summary: "write libVkLayer_pumice.so and its manifest, a native layer that passes every call on",
  options: {
    target: {
      type: "string",
      value: "NAME",
      help: "x86_64-linux, aarch64-linux or aarch64-android; default this machine",
    },
    gles: { type: "boolean", help: "write libGLES_pumice.so, a layer of Android's for OpenGL ES, instead" },
  },
  run: async (request, print) => (await import("../elsewhere/layer_library.ts")).layerLibrary(request, print),
};
