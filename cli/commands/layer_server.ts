import { ALL_COMMANDS, BLACK_BOX, FRAMES } from "./script.ts";
import { TWIN } from "../layers/twin.ts";
import type { Command, Option, Process, Request } from "../command.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type ByOwnConfigModule = typeof import("../script/by_own_config.ts");
type ExecModule = typeof import("../layer_server/exec.ts");
type ServeModule = typeof import("../layer_server/serve.ts");
type PhoneModule = typeof import("../layer_server/phone.ts");
type LayerLibraryModule = typeof import("../layer_server/layer_library.ts");
type StubModule = typeof import("../stub.ts");

const WATCH: Option = {
  type: "boolean",
  help: "put a layer's module in use again when it is saved, while the program runs",
};
const GLES: Option = { type: "boolean", help: "serve layers for OpenGL ES, which libGLES_pumice.so hands calls to" };
const CONNECT: Option = {
  type: "string",
  value: "ADDRESS",
  help: "where programs connect to: tcp:ADDRESS:PORT, unix:PATH or abstract:NAME",
};
const KEY_FILE: Option = {
  type: "string",
  value: "FILE",
  help: "the keys of the layer library and its server; written if the file is not there",
};
const TARGET: Option = {
  type: "string",
  value: "NAME",
  help: "x86_64-linux, aarch64-linux or aarch64-android; default this machine",
};
const TIMEOUT: Option = {
  type: "string",
  value: "SECONDS",
  help: "how long a thread of the program waits before the program goes on without the layers; default 5, 0 for ever",
};

/**
 * Layers that are modules find their imports as the modules beside them do. `place` puts memory where programs expect
 * it, before the search for the configuration uses any.
 */
async function byLayers(
  request: Request,
  process: Process,
  run: () => Promise<number>,
  place?: () => Promise<void>,
): Promise<number> {
  if (process.restart) await place?.();
  const { byOwnConfig } = await import("../script/by_own_config.ts" as string) as ByOwnConfigModule;
  return await byOwnConfig(request, process, run);
}

/** `exec`: any program, with layers in this process. */
export const exec: Command = {
  operand: "",
  handsOn: "-- PROGRAM ARGS",
  summary: "start any program under layers",
  options: {
    gles: { type: "boolean", help: "layers for OpenGL ES, in the place of the program's libEGL and GLES libraries" },
    watch: WATCH,
    twin: TWIN,
    record: { type: "string", value: "FILE", help: "record what the program does, for replay" },
    frames: FRAMES,
    ...BLACK_BOX,
    timeout: TIMEOUT,
  },
  run: (request, print, process) =>
    byLayers(
      request,
      process,
      async () => (await import("../layer_server/exec.ts" as string) as ExecModule).exec(request, print, process),
    ),
};

/** `serve`: layers in this process, for programs that connect. */
export const serve: Command = {
  operand: "",
  summary: "serve layers at an address, for programs that load the layer library",
  options: {
    listen: {
      type: "string",
      value: "ADDRESS",
      help: "where to listen: tcp:127.0.0.1:PORT, unix:PATH or abstract:NAME",
    },
    connect: { ...CONNECT, help: `${CONNECT.help}; default the address of --listen` },
    "key-file": { ...KEY_FILE, help: `${KEY_FILE.help}; default new keys` },
    target: TARGET,
    gles: GLES,
    watch: WATCH,
    frames: ALL_COMMANDS,
    timeout: TIMEOUT,
  },
  run: (request, print, process) =>
    byLayers(
      request,
      process,
      async () => (await import("../layer_server/serve.ts" as string) as ServeModule).serve(request, print, process),
      async () => (await import("../layer_server/serve.ts" as string) as ServeModule).place(request),
    ),
};

/** `phone`: an application of a phone, with layers in this process. */
export const phone: Command = {
  operand: "PACKAGE",
  summary: "put layers on an application of a phone that adb reaches, until Ctrl-C, and tidy up",
  options: {
    gles: GLES,
    adb: { type: "string", value: "PATH", help: "the program adb; default the one on the path" },
    serial: { type: "string", value: "SERIAL", help: "which phone, as `adb devices` lists them" },
    activity: {
      type: "string",
      value: "NAME",
      help: "the activity to start; default the one that the launcher starts",
    },
    port: { type: "string", value: "PORT", help: "the port here and on the phone; default any that is free" },
    timeout: TIMEOUT,
    frames: ALL_COMMANDS,
    "dry-run": { type: "boolean", help: "print the steps and do nothing" },
  },
  run: (request, print, process) =>
    byLayers(
      request,
      process,
      async () =>
        (await import("../layer_server/phone.ts" as string) as PhoneModule).phone(
          request,
          print,
          process,
        ),
      async () => (await import("../layer_server/phone.ts" as string) as PhoneModule).place(),
    ),
};

/** `layer-library`: the native layer that programs load. */
export const layerLibrary: Command = {
  operand: "DIR",
  summary: "write libVkLayer_pumice.so and its manifest, a native layer that passes every call on, or asks a server",
  options: {
    target: TARGET,
    gles: { type: "boolean", help: "write libGLES_pumice.so, a layer of Android's for OpenGL ES, instead" },
    connect: { ...CONNECT, help: `the server that the library asks: tcp:ADDRESS:PORT, unix:PATH or abstract:NAME` },
    "key-file": KEY_FILE,
    timeout: { ...TIMEOUT, help: "with --connect: how long a thread of the program waits; default 5, 0 for ever" },
  },
  run: async (request, print) =>
    (await import("../layer_server/layer_library.ts" as string) as LayerLibraryModule).layerLibrary(request, print),
};

/** `stub`: linked programs ask for the name that distributions give to the development file, and so does this loader answer. */
export const stub: Command = {
  operand: "DIR",
  summary: "write a libvulkan.so for linking native programs",
  options: {},
  run: async (request, print) => (await import("../stub.ts" as string) as StubModule).writeStub(request, print),
};
