import { type DeviceTwin, deviceTwin, type DeviceTwinOptions } from "../../loader/twin/device_twin.ts";
import type { VulkanOptions } from "../../loader/mod.ts";
import { TWIN, twinParts } from "./twin_words.ts";

/** Makes the twin that `[STRICTNESS:]SOURCE` stands for. Throws a `TypeError` if the source cannot be read. */
export function twinNamed(
  value: string,
  log?: (message: string) => void,
  options: Omit<DeviceTwinOptions, "log"> = {},
): DeviceTwin {
  const { strictness = options.strictness, source } = twinParts(value);
  return deviceTwin(source, { ...options, strictness, log });
}

/** Returns options with layers in the place of the names of twins, which tell refusals on standard error. */
export function withTwins<Options extends Pick<VulkanOptions, "layers">>(options: Options): Options {
  const { layers } = options;
  if (!layers?.some((layer) => typeof layer === "string" && layer.startsWith(TWIN))) return options;
  return {
    ...options,
    layers: layers.map((layer) =>
      typeof layer === "string" && layer.startsWith(TWIN)
        ? twinNamed(layer.slice(TWIN.length), console.error).layer
        : layer
    ),
  };
}
