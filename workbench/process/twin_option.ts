import { type DeviceTwin, deviceTwin, type DeviceTwinOptions } from "../../loader/twin/device_twin.ts";
import { DECLARED } from "../../loader/layers/shipped/settings/declared.ts";
import { processSettings, readSettings } from "../../loader/layers/shipped/settings/read_settings.ts";
import type { VulkanOptions } from "../../loader/mod.ts";
import { isTwin, TWIN, twinParts } from "./twin_words.ts";

/** Makes the twin that `[STRICTNESS:]SOURCE` stands for. Throws a `TypeError` if the source cannot be read. */
export function twinNamed(
  value: string,
  log?: (message: string) => void,
  options: Omit<DeviceTwinOptions, "log"> = {},
): DeviceTwin {
  const { strictness = options.strictness, source } = twinParts(value);
  const twin = deviceTwin(source, { ...options, strictness, log });
  if (twin.unread.length > 0) log?.(unreadText(source, twin.unread));
  return twin;
}

/** The most members in a sentence. */
const MOST = 8;

/** A sentence about members of a source that no twin understands. */
export function unreadText(origin: string, unread: readonly string[]): string {
  const more = unread.length > MOST ? ` and ${unread.length - MOST} more` : "";
  return `${origin}: not understood: ${unread.slice(0, MOST).join(", ")}${more}`;
}

/** The settings of twins in the environment and the settings file, without the source. */
function settings(): Omit<DeviceTwinOptions, "log"> {
  const { source: _, ...options } = readSettings(DECLARED.twin, processSettings());
  return options;
}

/** Returns options with layers in the place of the names of twins, which tell refusals on standard error. */
export function withTwins<Options extends Pick<VulkanOptions, "layers">>(options: Options): Options {
  const { layers } = options;
  if (!layers?.some(isTwin)) return options;
  return {
    ...options,
    layers: layers.map((layer) =>
      isTwin(layer) ? twinNamed(layer.slice(TWIN.length), console.error, settings()).layer : layer
    ),
  };
}
