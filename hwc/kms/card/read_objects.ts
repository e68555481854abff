import { bytesAt } from "../../../ffi/arena.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { peek16, peek32, peek64 } from "../../../ffi/machine.ts";
import { MODIFIER } from "../../../wsi/buffer/modifier.ts";
import type { CardConnector, CardCrtc, CardMode, CardPlane, CardProperties, CardProperty } from "./facts.ts";
import type { LibDrm } from "./libdrm.ts";

/** `drmModeRes` of `xf86drmMode.h`: a count and an array of numbers for each kind. */
const RESOURCES = { crtcs: 16n, connectors: 32n };
/** `drmModePlaneRes` of `xf86drmMode.h`. */
const PLANES = { count: 0n, ids: 8n };
/** `drmModeConnector` of `xf86drmMode.h`. */
const CONNECTOR = {
  type: 8n,
  typeNumber: 12n,
  connection: 16n,
  width: 20n,
  height: 24n,
  modes: 32n,
  encoders: 72n,
};
/** `drmModeEncoder`, `drmModePlane` of `xf86drmMode.h`: bits of the CRTCs by their index. */
const ENCODER = { crtcs: 12n }, PLANE = { formats: 0n, crtcs: 44n };
/** `drmModeModeInfo` of `xf86drmMode.h`, which has the bytes of the kernel's struct. */
const MODE = { clock: 0n, width: 4n, htotal: 10n, height: 14n, vtotal: 20n, flags: 28n, type: 32n, size: 68 };
const CONNECTED = 1, PREFERRED = 8, INTERLACED = 0x10, DOUBLESCAN = 0x20;
/** `drmModeObjectProperties` of `xf86drmMode.h`. */
const PROPERTIES = { count: 0n, ids: 8n, values: 16n };
/** `drmModePropertyRes` of `xf86drmMode.h`. */
const PROPERTY = { flags: 4n, name: 8n, values: 40n, enums: 56n };
/** `struct drm_mode_property_enum` of `drm_mode.h`, `drmModePropertyBlobRes` of `xf86drmMode.h`. */
const ENUM = { value: 0n, name: 8n, size: 40n }, BLOB = { length: 4n, data: 8n };
const NAME_SIZE = 32;
/** `DRM_MODE_PROP_…`. */
const KIND = { RANGE: 2, IMMUTABLE: 4, ENUM: 8, BITMASK: 0x20, SIGNED_RANGE: 0x80, EXTENDED: 0xffc0 };
/** `DRM_MODE_OBJECT_ANY`. */
const ANY = 0;
const { LINEAR } = MODIFIER;
/** `struct drm_format_modifier_blob` of `drm_mode.h`. */
const IN_FORMATS = { formats: 8, formatsAt: 12, modifiers: 16, modifiersAt: 20 };
/** `struct drm_format_modifier` of `drm_mode.h`. */
const ENTRY = { formats: 0, offset: 8, modifier: 16, size: 24 };

/** The numbers of a card's objects. */
export interface ObjectNumbers {
  readonly crtcs: readonly number[];
  readonly connectors: readonly number[];
  readonly planes: readonly number[];
}

/** Reads the numbers of a card's objects; `undefined` if the card sets no modes. */
export function readNumbers(drm: LibDrm, fd: number): ObjectNumbers | undefined {
  const resources = drm.read("drmModeGetResources", [fd], "drmModeFreeResources", (at) => ({
    crtcs: counted(at + RESOURCES.crtcs),
    connectors: counted(at + RESOURCES.connectors),
  }));
  const planes = drm.read("drmModeGetPlaneResources", [fd], "drmModeFreePlaneResources", (at) => {
    return numbersAt(peek64(at + PLANES.ids), peek32(at + PLANES.count));
  });
  return resources && { ...resources, planes: planes ?? [] };
}

/** An array behind its count, as libdrm's structs have them. */
function counted(at: bigint): number[] {
  return numbersAt(peek64(at + 8n), peek32(at));
}

function numbersAt(at: bigint, count: number): number[] {
  return Array.from({ length: count }, (_, index) => peek32(at + 4n * BigInt(index)) >>> 0);
}

/** Reads a CRTC. */
export function readCrtc(drm: LibDrm, fd: number, id: number): CardCrtc {
  return { id, properties: readProperties(drm, fd, id) };
}

/** Reads a connector, which asks the display for its modes; `undefined` if it is gone. */
export function readConnector(
  drm: LibDrm,
  fd: number,
  id: number,
  crtcs: readonly number[],
): CardConnector | undefined {
  return drm.read("drmModeGetConnector", [fd, id], "drmModeFreeConnector", (at) => {
    const properties = readProperties(drm, fd, id), type = peek32(at + CONNECTOR.type) >>> 0;
    const encoders = counted(at + CONNECTOR.encoders), edid = Number(properties.EDID?.value ?? 0n);
    const typeName = readCString(drm.address("drmModeGetConnectorTypeName", type));
    return {
      id,
      type,
      name: `${typeName}-${peek32(at + CONNECTOR.typeNumber)}`,
      isConnected: peek32(at + CONNECTOR.connection) === CONNECTED,
      size: { width: peek32(at + CONNECTOR.width), height: peek32(at + CONNECTOR.height) },
      modes: modesAt(peek64(at + CONNECTOR.modes + 8n), peek32(at + CONNECTOR.modes)),
      edid: edid === 0 ? undefined : readBlob(drm, fd, edid),
      crtcs: [...new Set(encoders.flatMap((encoder) => crtcsOf(drm, fd, encoder, crtcs)))],
      properties,
    };
  });
}

function crtcsOf(drm: LibDrm, fd: number, encoder: number, crtcs: readonly number[]): number[] {
  const bits = drm.read("drmModeGetEncoder", [fd, encoder], "drmModeFreeEncoder", (at) => peek32(at + ENCODER.crtcs));
  return ofBits(bits ?? 0, crtcs);
}

function ofBits(bits: number, crtcs: readonly number[]): number[] {
  return crtcs.filter((_, index) => (bits >>> index & 1) === 1);
}

/** The modes, the preferred ones first and none twice; interlaced ones are left out, since frames are not fields. */
function modesAt(at: bigint, count: number): CardMode[] {
  const places = Array.from({ length: count }, (_, index) => at + BigInt(index * MODE.size));
  const whole = places.filter((place) => (peek32(place + MODE.flags) & (INTERLACED | DOUBLESCAN)) === 0);
  const modes = whole.map(modeAt).sort((one, other) => Number(other.isPreferred) - Number(one.isPreferred));
  return [...new Map(modes.toReversed().map((mode) => [nameOf(mode), mode])).values()].toReversed();
}

function nameOf({ width, height, refreshRate }: CardMode): string {
  return `${width} x ${height} at ${refreshRate}`;
}

function modeAt(at: bigint): CardMode {
  const total = peek16(at + MODE.htotal) * peek16(at + MODE.vtotal);
  return {
    width: peek16(at + MODE.width),
    height: peek16(at + MODE.height),
    refreshRate: (peek32(at + MODE.clock) >>> 0) * 1000 / total,
    isPreferred: (peek32(at + MODE.type) & PREFERRED) !== 0,
    bytes: bytesAt(at, MODE.size),
  };
}

/** Reads a plane; `undefined` if it is gone. */
export function readPlane(drm: LibDrm, fd: number, id: number, crtcs: readonly number[]): CardPlane | undefined {
  return drm.read("drmModeGetPlane", [fd, id], "drmModeFreePlane", (at) => {
    const properties = readProperties(drm, fd, id), { type, IN_FORMATS: blob } = properties;
    const formats = numbersAt(peek64(at + PLANE.formats + 8n), peek32(at + PLANE.formats));
    const modifiers = blob && readModifiers(readBlob(drm, fd, Number(blob.value)));
    return {
      id,
      type: typeOf(type),
      crtcs: ofBits(peek32(at + PLANE.crtcs), crtcs),
      formats: modifiers ? [...modifiers.keys()].filter((format) => modifiers.get(format)!.includes(LINEAR)) : formats,
      modifiers: modifiers ?? new Map(formats.map((format) => [format, [LINEAR]])),
      properties,
    };
  });
}

function typeOf(type: CardProperty | undefined): CardPlane["type"] {
  const name = Object.entries(type?.values ?? {}).find(([, value]) => value === type!.value)?.[0];
  return name === "Primary" ? "primary" : name === "Cursor" ? "cursor" : "overlay";
}

/** The modifiers of an IN_FORMATS blob by their formats, in the card's order; `undefined` if the blob is no such. */
export function readModifiers(blob: Uint8Array<ArrayBuffer>): Map<number, bigint[]> | undefined {
  if (blob.length < ENTRY.size) return undefined;
  const view = new DataView(blob.buffer, blob.byteOffset, blob.length), u32 = (at: number) => view.getUint32(at, true);
  const formats = Array.from(
    { length: u32(IN_FORMATS.formats) },
    (_, index) => u32(u32(IN_FORMATS.formatsAt) + 4 * index),
  );
  const found = new Map<number, bigint[]>();
  for (let index = 0; index < u32(IN_FORMATS.modifiers); index++) {
    const at = u32(IN_FORMATS.modifiersAt) + ENTRY.size * index, offset = u32(at + ENTRY.offset);
    const modifier = view.getBigUint64(at + ENTRY.modifier, true), bits = view.getBigUint64(at + ENTRY.formats, true);
    formats.slice(offset, offset + 64).forEach((format, bit) => {
      if ((bits >> BigInt(bit) & 1n) === 0n) return;
      found.set(format, [...found.get(format) ?? [], modifier]);
    });
  }
  return found;
}

/** Reads the properties of an object of any kind. */
function readProperties(drm: LibDrm, fd: number, id: number): CardProperties {
  const all: Record<string, CardProperty> = {};
  drm.read("drmModeObjectGetProperties", [fd, id, ANY], "drmModeFreeObjectProperties", (at) => {
    const values = peek64(at + PROPERTIES.values);
    numbersAt(peek64(at + PROPERTIES.ids), peek32(at + PROPERTIES.count)).forEach((property, index) => {
      const value = peek64(values + 8n * BigInt(index));
      drm.read("drmModeGetProperty", [fd, property], "drmModeFreeProperty", (at) => {
        all[readCString(at + PROPERTY.name, NAME_SIZE)] = { id: property, value, ...propertyAt(at) };
      });
    });
  });
  return all;
}

function propertyAt(at: bigint): Pick<CardProperty, "isImmutable" | "range" | "values"> {
  const flags = peek32(at + PROPERTY.flags), isImmutable = (flags & KIND.IMMUTABLE) !== 0;
  const isSigned = (flags & KIND.EXTENDED) === KIND.SIGNED_RANGE;
  if (isSigned || (flags & KIND.RANGE) !== 0) {
    const values = peek64(at + PROPERTY.values + 8n), raw = [peek64(values), peek64(values + 8n)] as const;
    const range = isSigned ? [BigInt.asIntN(64, raw[0]), BigInt.asIntN(64, raw[1])] as const : raw;
    return { isImmutable, range };
  }
  if ((flags & (KIND.ENUM | KIND.BITMASK)) === 0) return { isImmutable };
  const count = peek32(at + PROPERTY.enums), enums = peek64(at + PROPERTY.enums + 8n);
  const places = Array.from({ length: count }, (_, index) => enums + ENUM.size * BigInt(index));
  const named = places.map((place) => [readCString(place + ENUM.name, NAME_SIZE), peek64(place + ENUM.value)]);
  return { isImmutable, values: Object.fromEntries(named) };
}

/** Reads a blob; empty if it is gone. */
export function readBlob(drm: LibDrm, fd: number, id: number): Uint8Array<ArrayBuffer> {
  const read = (at: bigint) => bytesAt(peek64(at + BLOB.data), peek32(at + BLOB.length));
  return drm.read("drmModeGetPropertyBlob", [fd, id], "drmModeFreePropertyBlob", read) ?? new Uint8Array();
}
