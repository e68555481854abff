import { PLANE_MODELS } from "../../hwc/planes/models.ts";
import type { Option } from "../command.ts";

/** What `compose` takes. */
export const COMPOSE_OPTIONS = {
  width: { type: "string", value: "PIXELS", help: "of the internal panel; default 720" },
  height: { type: "string", value: "PIXELS", help: "default 1280" },
  hz: { type: "string", value: "RATE", help: "vsyncs a second; default 60" },
  external: {
    type: "string",
    multiple: true,
    value: "SIZE",
    help: "an external panel that is plugged from the start, such as 1280x720; may be repeated",
  },
  model: { type: "string", value: "NAME", help: `planes: ${Object.keys(PLANE_MODELS).join(", ")}; default four-plane` },
  strategy: {
    type: "string",
    value: "NAME",
    help: "least-gpu-work (default), client-only, or first-N such as first-3",
  },
  frames: { type: "string", value: "COUNT", help: "stop after so many frames of the internal panel" },
  png: { type: "string", value: "PATH", help: "write each frame: a folder, or a pattern such as out/%04d.png" },
  x11: { type: "boolean", help: "show each display in a window of the X server" },
  port: { type: "string", value: "NUMBER", help: "of the page, beside --png and --x11, too; default any" },
} as const satisfies Readonly<Record<string, Option>>;
