import { checkOptions, list, type OptionRules, typed } from "../../ffi/check_options.ts";
import type { AsyncComposer } from "../composer.ts";
import type { GenericMetadataKey } from "../composer_records.ts";
import { CALLBACK, CAPABILITY, CONNECTION } from "../device_types.ts";
import { type ComposerDisplayInfo, displayInfo } from "./display_info.ts";
import { ifSupported, nameOf } from "./names.ts";

/** What a composer and its displays can do. */
export interface ComposerInfo {
  /** What it does that not all do, by name. */
  readonly capabilities: readonly string[];
  /** How many virtual displays there can be. */
  readonly maxVirtualDisplays: number;
  /** Keys of generic metadata. */
  readonly genericMetadataKeys: readonly GenericMetadataKey[];
  /** The displays that are connected, in the order in which the composer names them. */
  readonly displays: readonly ComposerDisplayInfo[];
}

/** What {@linkcode composerInfo} can be told. */
export interface ComposerInfoOptions {
  /**
   * The displays to ask, for a composer that somebody uses. Default: all that
   * are connected; to find them, HOTPLUG is registered and taken back.
   */
  readonly displays?: readonly bigint[];
}

const RULES: OptionRules<ComposerInfoOptions> = {
  displays: list("a list of handles", typed("a bigint", "bigint")),
};

/**
 * What a composer can do: its capabilities, and of each display the configs,
 * colour modes, HDR and whatever else it answers. What it does not support is
 * left out. Nothing is changed.
 *
 * @throws {HwcError} when the composer refuses what every composer must answer.
 *
 * @example The displays of the composer with simulated panels
 * ```ts ignore
 * import { composerInfo, createReferenceComposer } from "@pumice/gfx/hwc";
 *
 * using composer = createReferenceComposer();
 * const { displays } = await composerInfo(composer);
 * for (const { name, configs } of displays) console.log(name, configs.length);
 * ```
 */
export async function composerInfo(composer: AsyncComposer, options: ComposerInfoOptions = {}): Promise<ComposerInfo> {
  checkOptions("composerInfo()", options, RULES);
  const ids = options.displays ?? await connected(composer), displays: ComposerDisplayInfo[] = [];
  for (const id of ids) displays.push(await displayInfo(composer, id));
  return {
    capabilities: (await composer.getCapabilities()).map((each) => nameOf(CAPABILITY, each)),
    maxVirtualDisplays: await composer.getMaxVirtualDisplayCount(),
    genericMetadataKeys: await metadataKeys(composer),
    displays,
  };
}

/** Composers say what is connected while HOTPLUG is being registered. */
async function connected(composer: AsyncComposer): Promise<bigint[]> {
  const found = new Set<bigint>();
  await composer.registerCallback(CALLBACK.HOTPLUG, (display, connection) => {
    if (connection === CONNECTION.CONNECTED) found.add(display);
    else found.delete(display);
  });
  await composer.registerCallback(CALLBACK.HOTPLUG, null);
  return [...found];
}

async function metadataKeys(composer: AsyncComposer): Promise<GenericMetadataKey[]> {
  const keys: GenericMetadataKey[] = [];
  for (;;) {
    const key = await ifSupported(() => composer.getLayerGenericMetadataKey(keys.length));
    if (!key) return keys;
    keys.push(key);
  }
}
