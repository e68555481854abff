import type { Command, Option } from "../command.ts";
import { FIRST_CARD } from "../../workbench/process/card.ts";

// Loaded when the command runs: cli/commands.ts says why "as string".
type ComposeCommandModule = typeof import("../compose/command.ts");

/** The options of `compose`. */
export const COMPOSE_OPTIONS = {
  width: { type: "string", value: "PIXELS", help: "width of the internal panel; default 720" },
  height: { type: "string", value: "PIXELS", help: "height of the internal panel; default 1280" },
  hz: { type: "string", value: "RATE", help: "vsyncs per second; default 60" },
  external: {
    type: "string",
    multiple: true,
    value: "SIZE",
    help: "plug in an external panel, such as 1280x720; may be repeated",
  },
  model: {
    type: "string",
    value: "NAME",
    help: "the plane model: one-plane, four-plane, eight-plane, video-plane, blitter; default four-plane",
  },
  strategy: {
    type: "string",
    value: "NAME",
    help: "the strategy: least-gpu-work (default), client-only, or first-N such as first-3",
  },
  kms: {
    type: "string",
    value: "CARD",
    assumed: FIRST_CARD,
    help: "show on a real card instead of simulated panels: its path, its kernel driver, or `first`",
  },
  binder: {
    type: "string",
    value: "DEVICE",
    assumed: "/dev/binder",
    help: "draw nothing, and offer the composer to another process by binder; HIDL if the device is named hwbinder",
  },
  frames: { type: "string", value: "COUNT", help: "stop after this number of frames of the internal panel" },
  png: { type: "string", value: "PATH", help: "write each frame: a folder, or a pattern such as out/%04d.png" },
  perfetto: {
    type: "string",
    value: "FILE",
    help: "write a trace for ui.perfetto.dev: windows, planes, fences, vsyncs",
  },
  x11: { type: "boolean", help: "show each display in a window of the X server" },
  port: { type: "string", value: "NUMBER", help: "the page's port, also with --png and --x11; default any free port" },
} as const satisfies Readonly<Record<string, Option>>;

/** `compose`: a home screen through the hardware composer, to be looked at. */
export const command: Command = {
  operand: "",
  summary: "compose a home screen with a simulated hardware composer, shown on a web page",
  takesNativeLayers: true,
  options: COMPOSE_OPTIONS,
  run: async (request, print, process) =>
    (await import("../compose/command.ts" as string) as ComposeCommandModule).composeScreens(request, print, process),
};
