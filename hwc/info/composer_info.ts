import { checkOptions, list, type OptionRules, typed } from "../../ffi/check_options.ts";
import type { AsyncComposer } from "../composer.ts";
import type { GenericMetadataKey } from "../composer_records.ts";
import { CALLBACK, CAPABILITY, CONNECTION } from "../device_types.ts";
import { type ComposerDisplayInfo, displayInfo, ifSupported, nameOf } from "./display_info.ts";

/** The capabilities of a composer and its displays. */
export interface ComposerInfo {
  /** The composer's optional capabilities, by name. */
  readonly capabilities: readonly string[];
  /** The most virtual displays at a time. */
  readonly maxVirtualDisplays: number;
  /** Keys of generic metadata. */
  readonly genericMetadataKeys: readonly GenericMetadataKey[];
  /** The connected displays, in the composer's order. */
  readonly displays: readonly ComposerDisplayInfo[];
}

/** Settings of {@linkcode composerInfo}. */
export interface ComposerInfoOptions {
  /**
   * The displays to query, for a composer that already has a client. Default: all connected displays; to find them,
   * `composerInfo` registers a HOTPLUG callback and removes it.
   */
  readonly displays?: readonly bigint[];
}

const RULES: OptionRules<ComposerInfoOptions> = {
  displays: list("a list of handles", typed("a bigint", "bigint")),
};

/**
 * Returns the capabilities of a composer, and the configs, colour modes, HDR and other properties of each display.
 * Unsupported properties are left out. The composer's state does not change.
 *
 * @throws when the composer refuses a call that every composer must support.
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

/** Composers report connected displays while HOTPLUG is being registered. */
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
