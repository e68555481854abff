import { fourcc, halFormatOf, halFormatsOfDrm } from "../../wsi/buffer/hal_format.ts";
import type { Plane, PlaneBuffer, PlaneModel } from "../planes/plane.ts";
import { MODIFIER } from "../../wsi/buffer/modifier.ts";
import { BLEND, FORMAT, TRANSFORM } from "../types.ts";
import type { OpenCard } from "./card/card.ts";
import type { CardPlane } from "./card/facts.ts";

/** The planes of a display, as data and as objects of the card. */
export interface DisplayPlanes {
  /** The model for the search. */
  readonly model: PlaneModel;
  /** The card's planes by the names in the model. */
  readonly byName: ReadonlyMap<string, CardPlane>;
}

/** Planes of one type lie above those of another, unless the card says otherwise. */
const TIERS = { primary: 0, overlay: 1, cursor: 2 } as const;
/** Formats whose alpha counts, and those with the same bytes whose alpha does not. */
const OPAQUE: Readonly<Record<number, number>> = Object.fromEntries(
  [["AB24", "XB24"], ["AR24", "XR24"], ["AB30", "XB30"], ["AB4H", "XB4H"]].map((pair) => pair.map(fourcc)),
);
/** The formats of pictures of one colour. */
const COLOR_FORMATS: readonly number[] = [FORMAT.RGBA_8888, FORMAT.BGRA_8888];
/** The enumeration of `pixel blend mode`. */
const BLENDS: Readonly<Record<string, number>> = {
  "None": BLEND.NONE,
  "Pre-multiplied": BLEND.PREMULTIPLIED,
  "Coverage": BLEND.COVERAGE,
};
const { FLIP_H, FLIP_V, ROT_90, ROT_180, ROT_270 } = TRANSFORM;
/** HAL transforms turn clockwise after they flip; cards turn counter-clockwise after they reflect. */
const ROTATIONS: readonly (readonly [transform: number, names: readonly string[]])[] = [
  [TRANSFORM.NONE, ["rotate-0"]],
  [FLIP_H, ["rotate-0", "reflect-x"]],
  [FLIP_V, ["rotate-0", "reflect-y"]],
  [ROT_180, ["rotate-180"]],
  [ROT_90, ["rotate-270"]],
  [ROT_270, ["rotate-90"]],
  [FLIP_H | ROT_90, ["rotate-270", "reflect-x"]],
  [FLIP_V | ROT_90, ["rotate-270", "reflect-y"]],
];
/** Drivers that accept a reflection with a quarter turn and draw something else. */
const NO_REFLECTED_TURNS: readonly string[] = ["vkms"];

/** Reads the planes that a CRTC can show, but for those that another display took. */
export function displayPlanes(card: OpenCard, crtc: number, taken: ReadonlySet<number>): DisplayPlanes {
  const free = card.planes.filter(({ id, crtcs }) => crtcs.includes(crtc) && !taken.has(id));
  const counts = { primary: 0, overlay: 0, cursor: 0 }, byName = new Map<string, CardPlane>();
  const tiers = new Map(free.map((plane) => [plane, tierOf(plane)]));
  const planes = free.sort((one, other) => tiers.get(one)! - tiers.get(other)! || one.id - other.id).map((plane) => {
    const count = ++counts[plane.type],
      name = plane.type === "overlay" || count > 1 ? `${plane.type}${count}` : plane.type;
    byName.set(name, plane);
    return describe(card, plane, name, tiers.get(plane)!);
  });
  return { model: { name: card.driver, planes }, byName };
}

/** A plane that never changes its place says that place. */
function tierOf({ type, properties: { zpos } }: CardPlane): number {
  return zpos?.isImmutable ? Number(zpos.value) : TIERS[type];
}

function describe({ driver, capabilities }: OpenCard, plane: CardPlane, name: string, tier: number): Plane {
  const isCursor = plane.type === "cursor";
  return {
    name,
    tier,
    formats: formatsOf(plane),
    modifiers: modifiersOf(plane),
    transforms: transformsOf(plane, driver),
    blends: blendsOf(plane),
    planeAlpha: plane.properties.alpha !== undefined,
    solidColor: !isCursor && colorFormatOf(plane) !== undefined,
    ...(isCursor ? { cursor: true, maxSize: capabilities.cursor } : {}),
  };
}

/** The HAL format in which a plane shows one colour, with alpha; `undefined` if there is none. */
export function colorFormatOf({ formats }: CardPlane): number | undefined {
  return COLOR_FORMATS.find((format) => formats.includes(halFormatOf(format)!.drm));
}

/**
 * Returns the formats of a plane, with RGBA_8888 for a primary plane: the client's pictures have that format, and are
 * copied for planes that have only other orders of the bytes.
 */
function formatsOf({ modifiers, type }: CardPlane): number[] {
  const known = [...modifiers.keys()].flatMap((format) => halFormatsOfDrm(format).map(({ hal }) => hal));
  return type !== "primary" || known.includes(FORMAT.RGBA_8888) ? known : [...known, FORMAT.RGBA_8888];
}

/** The layouts of the formats that a plane reads otherwise than in rows alone. */
function modifiersOf({ modifiers, type }: CardPlane): Record<number, readonly bigint[]> {
  const others = [...modifiers].filter(([, each]) => each.some((modifier) => modifier !== MODIFIER.LINEAR));
  return Object.fromEntries(others.flatMap(([format, each]) =>
    halFormatsOfDrm(format).map(({ hal }) => {
      const isCopied = type === "primary" && hal === FORMAT.RGBA_8888; // as the client's pictures, which have rows
      return [hal, isCopied ? [...new Set([MODIFIER.LINEAR, ...each])] : each];
    })
  ));
}

function transformsOf({ properties: { rotation } }: CardPlane, driver: string): number[] {
  const isWrong = (names: readonly string[]) => names.length > 1 && names[0] === "rotate-270";
  return ROTATIONS.filter(([transform, names]) => {
    if (transform === TRANSFORM.NONE) return true;
    if (NO_REFLECTED_TURNS.includes(driver) && isWrong(names)) return false;
    return names.every((each) => rotation?.values?.[each] !== undefined);
  }).map(([transform]) => transform);
}

/** Without a property of its own, a plane blends premultiplied pixels; it shows others where it has formats without alpha. */
function blendsOf({ formats, properties }: CardPlane): number[] {
  const modes = properties["pixel blend mode"]?.values;
  if (modes) return Object.keys(modes).flatMap((each) => BLENDS[each] ?? []);
  const isOpaque = Object.entries(OPAQUE).some(([alpha, other]) =>
    formats.includes(Number(alpha)) && formats.includes(other)
  );
  return isOpaque ? [BLEND.NONE, BLEND.PREMULTIPLIED] : [BLEND.PREMULTIPLIED];
}

/** The value of `rotation` for a HAL transform; `undefined` if the plane has no such property. */
export function rotationOf({ properties: { rotation } }: CardPlane, transform: number): bigint | undefined {
  const names = ROTATIONS.find(([known]) => known === transform)?.[1] ?? [];
  return rotation?.values && names.reduce((bits, name) => bits | 1n << (rotation.values![name] ?? 0n), 0n);
}

/** The value of `pixel blend mode` for a blend; `undefined` if the plane has no such property. */
export function blendOf({ properties }: CardPlane, blend: number): bigint | undefined {
  const modes = properties["pixel blend mode"]?.values;
  const name = Object.entries(BLENDS).find(([, value]) => value === blend)?.[0];
  return name === undefined ? undefined : modes?.[name];
}

/** The fourcc code of a buffer's pixels on a plane that blends so: without alpha, if alpha must not count. */
export function scanoutFormat(
  plane: CardPlane,
  { format, modifier = MODIFIER.LINEAR }: Pick<PlaneBuffer, "format" | "modifier">,
  blend: number,
): number {
  const { drm } = halFormatOf(format)!, opaque = OPAQUE[drm];
  const ignoresAlpha = blend === BLEND.NONE && plane.properties["pixel blend mode"] === undefined;
  return ignoresAlpha && opaque !== undefined && plane.modifiers.get(opaque)?.includes(modifier) ? opaque : drm;
}
