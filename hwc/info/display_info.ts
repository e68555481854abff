import { hexOf } from "../../ffi/bytes.ts";
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
import { DATASPACE, FORMAT } from "../types.ts";
import { ifSupported, nameOf } from "./names.ts";

/** A config of a display. */
export interface ConfigInfo {
  /** Its number. */
  readonly id: number;
  /** Pixels. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Nanoseconds. */
  readonly vsyncPeriod: number;
  /** Dots per inch across; `undefined` where that is not known. */
  readonly dpiX?: number;
  /** Likewise down. */
  readonly dpiY?: number;
  /** Configs of one group change seamlessly; `undefined` where there are no groups. */
  readonly group?: number;
}

/** What HDR a display shows. */
export interface HdrInfo extends Omit<HdrCapabilities, "types"> {
  /** Kinds of HDR by name. */
  readonly types: readonly string[];
}

/** What a display can do. Names are the HAL's; what the composer does not support is `undefined`. */
export interface ComposerDisplayInfo {
  /** Its handle, in hexadecimal. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** `PHYSICAL` or `VIRTUAL`. */
  readonly type: string;
  /** `INTERNAL` or `EXTERNAL`. */
  readonly connection?: string;
  /** The port it is at. */
  readonly port?: number;
  /** Its EDID, in hexadecimal. */
  readonly edid?: string;
  /** The number of the config it has. */
  readonly activeConfig: number;
  /** All that it can have. */
  readonly configs: readonly ConfigInfo[];
  /** Colour modes, each with its render intents. */
  readonly colorModes: Readonly<Record<string, readonly string[]>>;
  /** Its HDR; no types on a display without. */
  readonly hdr: HdrInfo;
  /** Metadata of HDR that it understands. */
  readonly metadataKeys?: readonly string[];
  /** What it does that not all do. */
  readonly capabilities?: readonly string[];
  /** Whether it can doze. */
  readonly doze: boolean;
  /** Whether its brightness can be set. */
  readonly brightness?: boolean;
  /** Kinds of content that it treats otherwise. */
  readonly contentTypes?: readonly string[];
  /** What a copy of the shown picture is like. */
  readonly readback?: { readonly format: string; readonly dataspace: string };
  /** How it is mounted: a TRANSFORM. */
  readonly orientation?: number;
}

/** Asks a composer for all that is to be known of a display. */
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

/** What came with 2.2 and later. */
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
