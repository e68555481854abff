import type { CardOptions } from "../../hwc/kms/card/card.ts";
import { clientOnly, firstLayers, leastGpuWork, type PlaneStrategy } from "../../hwc/planes/strategy.ts";
import { PLANE_MODELS } from "../../hwc/planes/models.ts";
import type { PlaneModel } from "../../hwc/planes/plane.ts";
import type { Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { cardOf } from "../../workbench/process/card.ts";
import type { COMPOSE_OPTIONS } from "../commands/compose.ts";

/** The size of a panel. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The composer, the scene and the outputs of `compose`. */
export interface ComposeOptions extends Size {
  readonly hz: number;
  readonly externals: readonly Size[];
  readonly planes: PlaneModel;
  readonly strategy: PlaneStrategy;
  /** The card to show on; `undefined` for simulated panels. */
  readonly card: CardOptions | undefined;
  /** The device to offer the composer at, without drawing; `undefined` to draw. */
  readonly binder: string | undefined;
  /** Default: until it is stopped. */
  readonly frames: number;
  readonly png: string | undefined;
  readonly x11: boolean;
  /** The file of the trace; `undefined` for none. */
  readonly perfetto: string | undefined;
  /** The page's; `undefined` for none. */
  readonly port: number | undefined;
}

/** Reads the options. Throws {@linkcode WrongUse} for values that make no sense. */
export function composeOptions({ values }: Request): ComposeOptions {
  const text = (name: keyof typeof COMPOSE_OPTIONS) => values[name] as string | undefined;
  const whole = (name: keyof typeof COMPOSE_OPTIONS, [least, most]: readonly [number, number], usual: number) => {
    const given = text(name);
    return given === undefined ? usual : wholeNumber(`--${name}`, given, least, most);
  };
  const png = text("png"), x11 = values.x11 === true, isElsewhere = png !== undefined || x11;
  if (png === "") throw new WrongUse('--png is empty: give a folder, or a pattern such as "out/%04d.png"');
  const perfetto = text("perfetto");
  if (perfetto === "") throw new WrongUse("--perfetto is empty: give the file to write, such as frames.pftrace");
  const kms = text("kms");
  if (kms !== undefined) refuseSimulated(values);
  const binder = text("binder");
  if (binder !== undefined) refuseDrawn(binder, values);
  return {
    perfetto,
    binder,
    card: kms === undefined ? undefined : cardOf("--kms", kms),
    width: whole("width", SIDES, 720),
    height: whole("height", SIDES, 1280),
    hz: whole("hz", [1, 240], 60),
    externals: (values.external as string[] ?? []).map(sizeOf),
    planes: planesOf(text("model") ?? "four-plane"),
    strategy: strategyOf(text("strategy") ?? "least-gpu-work"),
    frames: whole("frames", [1, 1e9], Infinity),
    png,
    x11,
    port: text("port") === undefined && isElsewhere ? undefined : whole("port", [0, 65535], 0),
  };
}

/** Refuses options that describe simulated panels, since they say nothing about a card. */
function refuseSimulated(values: Request["values"]): void {
  const given = ["width", "height", "hz", "external", "model"].find((name) => values[name] !== undefined);
  if (given !== undefined) {
    throw new WrongUse(`--${given} is for simulated panels: with --kms the card says that; leave one of the two out`);
  }
}

/** Refuses options about what is drawn, since the other process does that. */
function refuseDrawn(binder: string, values: Request["values"]): void {
  if (binder === "") throw new WrongUse("--binder is empty: give the device, such as /dev/binder");
  const given = ["png", "perfetto", "x11", "port"].find((name) => values[name] !== undefined);
  if (given !== undefined) {
    throw new WrongUse(`--${given} is for what is drawn here: with --binder the other process draws; leave one out`);
  }
}

const SIDES = [64, 4096] as const;

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new WrongUse(`${name} is "${text}": give a whole number from ${least} to ${most}`);
}

function sizeOf(text: string): Size {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(text) ?? [];
  if (width === undefined) throw new WrongUse(`--external is "${text}": give WIDTHxHEIGHT, such as 1280x720`);
  const [least, most] = SIDES;
  return {
    width: wholeNumber("--external's width", width, least, most),
    height: wholeNumber("--external's height", height, least, most),
  };
}

function planesOf(name: string): PlaneModel {
  if (Object.hasOwn(PLANE_MODELS, name)) return PLANE_MODELS[name]();
  throw new WrongUse(`--model is "${name}": give one of ${Object.keys(PLANE_MODELS).join(", ")}`);
}

function strategyOf(name: string): PlaneStrategy {
  if (name === "least-gpu-work") return leastGpuWork();
  if (name === "client-only") return clientOnly();
  const first = /^first-(\d{1,3})$/.exec(name);
  if (first) return firstLayers(Number(first[1]));
  throw new WrongUse(`--strategy is "${name}": give least-gpu-work, client-only, or first-N such as first-3`);
}
