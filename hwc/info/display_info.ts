import { hexOf } from "../../ffi/arena.ts";
import type { AsyncComposer } from "../composer.ts";
import type { HdrCapabilities } from "../composer_records.ts";
import {
  ATTRIBUTE,
  COLOR_MODE,
  CONNECTION_TYPE,
  CONTENT_TYPE,
  DISPLAY_CAPABILITY,
  DISPLAY_TYPE,
  HDR,
  METADATA_KEY,
  RENDER_INTENT,
} from "../device_types.ts";
import { HwcError } from "../hwc_error.ts";
import { DATASPACE, ERROR, FORMAT } from "../types.ts";

/** A config of a display. */
export interface ConfigInfo {
  /** The config's number. */
  readonly id: number;
  /** Pixels. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Nanoseconds. */
  readonly vsyncPeriod: number;
  /** Horizontal dots per inch; `undefined` if unknown. */
  readonly dpiX?: number;
  /** Vertical dots per inch; `undefined` if unknown. */
  readonly dpiY?: number;
  /** Changes between configs of one group are seamless; `undefined` if there are no groups. */
  readonly group?: number;
}

/** The HDR capabilities of a display. */
export interface HdrInfo extends Omit<HdrCapabilities, "types"> {
  /** The HDR types by name. */
  readonly types: readonly string[];
}

/** The capabilities of a display. Names are the HAL's; unsupported properties are `undefined`. */
export interface ComposerDisplayInfo {
  /** The display's handle, in hexadecimal. */
  readonly id: string;
  /** The display's name. */
  readonly name: string;
  /** `PHYSICAL` or `VIRTUAL`. */
  readonly type: string;
  /** `INTERNAL` or `EXTERNAL`. */
  readonly connection?: string;
  /** The number of the display's port. */
  readonly port?: number;
  /** The display's EDID, in hexadecimal. */
  readonly edid?: string;
  /** The number of the active config. */
  readonly activeConfig: number;
  /** All configs. */
  readonly configs: readonly ConfigInfo[];
  /** Colour modes, each with its render intents. */
  readonly colorModes: Readonly<Record<string, readonly string[]>>;
  /** The HDR capabilities; without types on a display without HDR. */
  readonly hdr: HdrInfo;
  /** The supported keys of HDR metadata. */
  readonly metadataKeys?: readonly string[];
  /** The display's optional capabilities. */
  readonly capabilities?: readonly string[];
  /** Whether the display supports DOZE. */
  readonly doze: boolean;
  /** Whether the brightness can be set. */
  readonly brightness?: boolean;
  /** The supported content types. */
  readonly contentTypes?: readonly string[];
  /** Format and dataspace of a readback buffer. */
  readonly readback?: { readonly format: string; readonly dataspace: string };
  /** The panel's mounting: a TRANSFORM. */
  readonly orientation?: number;
}

/** Asks a composer for everything about a display. */
export async function displayInfo(composer: AsyncComposer, display: bigint): Promise<ComposerDisplayInfo> {
  const identity = await ifSupported(() => composer.getDisplayIdentificationData(display));
  return {
    id: `0x${display.toString(16)}`,
    name: await composer.getDisplayName(display),
    type: nameOf(DISPLAY_TYPE, await composer.getDisplayType(display)),
    connection: named(CONNECTION_TYPE, await ifSupported(() => composer.getDisplayConnectionType(display))),
    port: identity?.port,
    edid: identity && hexOf(identity.data),
    activeConfig: await composer.getActiveConfig(display),
    configs: await configs(composer, display),
    colorModes: await colorModes(composer, display),
    hdr: await hdr(composer, display),
    ...await extras(composer, display),
  };
}

/** The properties that came with 2.2 and later. */
async function extras(composer: AsyncComposer, display: bigint) {
  const ask = <T>(method: (display: bigint) => T | Promise<T>) => ifSupported(() => method(display));
  return {
    metadataKeys: all(METADATA_KEY, await ask((each) => composer.getPerFrameMetadataKeys(each))),
    capabilities: all(DISPLAY_CAPABILITY, await ask((each) => composer.getDisplayCapabilities(each))),
    doze: await composer.getDozeSupport(display),
    brightness: await ask((each) => composer.getDisplayBrightnessSupport(each)),
    contentTypes: all(CONTENT_TYPE, await ask((each) => composer.getSupportedContentTypes(each))),
    readback: readbackOf(await ask((each) => composer.getReadbackBufferAttributes(each))),
    orientation: await ask((each) => composer.getDisplayPhysicalOrientation(each)),
  };
}

type Names = Readonly<Record<string, number>>;

function named(names: Names, value: number | undefined): string | undefined {
  return value === undefined ? undefined : nameOf(names, value);
}

function all(names: Names, values: readonly number[] | undefined): string[] | undefined {
  return values?.map((value) => nameOf(names, value));
}

function readbackOf(found: { format: number; dataspace: number } | undefined): ComposerDisplayInfo["readback"] {
  return found && { format: nameOf(FORMAT, found.format), dataspace: nameOf(DATASPACE, found.dataspace) };
}

async function configs(composer: AsyncComposer, display: bigint): Promise<ConfigInfo[]> {
  const found: ConfigInfo[] = [];
  for (const id of await composer.getDisplayConfigs(display)) {
    const get = (attribute: number) => composer.getDisplayAttribute(display, id, attribute);
    found.push({
      id,
      width: await get(ATTRIBUTE.WIDTH),
      height: await get(ATTRIBUTE.HEIGHT),
      vsyncPeriod: await get(ATTRIBUTE.VSYNC_PERIOD),
      dpiX: dots(await get(ATTRIBUTE.DPI_X)),
      dpiY: dots(await get(ATTRIBUTE.DPI_Y)),
      group: known(await get(ATTRIBUTE.CONFIG_GROUP)),
    });
  }
  return found;
}

/** The HAL counts dots per 1000 inches. */
function dots(value: number): number | undefined {
  return value < 0 ? undefined : value / 1000;
}

function known(value: number): number | undefined {
  return value < 0 ? undefined : value;
}

async function colorModes(composer: AsyncComposer, display: bigint): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const mode of await composer.getColorModes(display)) {
    const intents = await ifSupported(() => composer.getRenderIntents(display, mode));
    found[nameOf(COLOR_MODE, mode)] = all(RENDER_INTENT, intents) ?? [];
  }
  return found;
}

async function hdr(composer: AsyncComposer, display: bigint): Promise<HdrInfo> {
  const { types, ...luminance } = await composer.getHdrCapabilities(display);
  return { types: all(HDR, types)!, ...luminance };
}

/** The name of a value in one of the HAL's enums; the number itself where it has none. */
export function nameOf(names: Readonly<Record<string, number>>, value: number): string {
  return Object.entries(names).find(([, each]) => each === value)?.[0] ?? String(value);
}

/** Returns a composer's answer; `undefined` for an unsupported query. */
export async function ifSupported<T>(ask: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof HwcError && error.code === ERROR.UNSUPPORTED) return undefined;
    throw error;
  }
}
