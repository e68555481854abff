import {
  checkOptions,
  either,
  list,
  number,
  oneOf,
  type OptionRules,
  text,
  typed,
  yesOrNo,
} from "../../ffi/check_options.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import type { AnyHook, Layer } from "../layer.ts";
import { defineLayer } from "../layers/define/define_layer.ts";
import { commandsBelow } from "../layers/hooks/below.ts";
import { queryHooks } from "../layers/shipped/limits/query_hooks.ts";
import { prepareHooks } from "../layers/shipped/native/prepare.ts";
import type { TwinStrictness } from "./answers.ts";
import { choiceHooks } from "./choice_hooks.ts";
import { deviceHooks } from "./device_hooks.ts";
import { notingHooks } from "./lowered.ts";
import { memoryHooks } from "./memory_hooks.ts";
import type { DeviceModel } from "./model.ts";
import { objectHooks } from "./object_hooks.ts";
import { poolHooks } from "./pool_hooks.ts";
import { queueHooks } from "./queue_hooks.ts";
import { type DeviceSource, readSource, type SourceChoice } from "./read_source.ts";
import { shaderHooks } from "./shader_hooks.ts";
import { surfaceHooks } from "./surface_hooks.ts";
import { tileHooks } from "./tile_hooks.ts";
import { Twin, type TwinRefusal } from "./twin.ts";

/** Options of {@linkcode deviceTwin}. */
export interface DeviceTwinOptions extends SourceChoice {
  /**
   * The treatment of facts that the driver below cannot keep. `"exact"`: no
   * device is created. `"used"`: what a program uses of them is refused.
   * `"common"`: the twin tells only what its source and the driver have in
   * common. Default: `"exact"`.
   */
  readonly strictness?: TwinStrictness;
  /**
   * The device of the drivers that stands for the twin: its index, from 0 on, or a part of its name. The others are
   * hidden, since a twin is one device. Default: the first.
   */
  readonly below?: number | string;
  /**
   * Whether a model of a GPU that draws in tiles warns of attachments, loads and resolves that cost bandwidth. A model
   * measures nothing, and changes no result. Default: no.
   */
  readonly modelsTiles?: boolean;
  /** Gets a sentence for each kind of refusal, once. Default: no messages. */
  readonly log?: (message: string) => void;
}

const RULES: OptionRules<DeviceTwinOptions> = {
  device: number,
  profile: text("a profile's name"),
  variants: list("a list of capabilities", text("a name")),
  strictness: oneOf("exact", "used", "common"),
  below: either(number, text("an index or a part of a name")),
  modelsTiles: yesOrNo,
  log: typed("a function of a message", "function"),
};

/** A layer that makes a driver's device look like another one, and a list of the refused calls. */
export interface DeviceTwin {
  /** The layer, for `layers` of `loadVulkan` or `instance.attach`. */
  readonly layer: Layer;
  /** The refused calls, in order. */
  readonly refused: readonly TwinRefusal[];
  /**
   * The facts that programs read and that are lower than the driver's: names of extensions, features, limits and
   * formats, in the order of reading. A program that ends without a refused call may miss one of them.
   */
  readonly lowered: ReadonlySet<string>;
  /** Members of the source that the twin does not understand. */
  readonly unread: readonly string[];
}

/**
 * Makes a layer under which programs run as on another device, from a
 * description: vkjson, what `info --json` prints, a Vulkan profile, or a report
 * of the public hardware database. All queries tell the facts of the
 * description, and what the device would refuse is refused.
 *
 * @throws {TypeError} if the source cannot be read.
 *
 * @example The device of a profile, as far as the driver goes
 * ```ts
 * import { deviceTwin } from "@pumice/gfx/layers";
 * import { assertThrows } from "@std/assert";
 *
 * const { layer } = deviceTwin("VP_ANDROID_15_minimums", { strictness: "common" });
 * assertThrows(() => deviceTwin("VP_ANDROID_1"), TypeError, "give a path, or one of");
 * ```
 */
export function deviceTwin(source: DeviceSource, options: DeviceTwinOptions = {}): DeviceTwin {
  checkOptions("deviceTwin()", options, RULES);
  return twinOf(readSource(source, options), options);
}

/** Makes the twin of a model. */
export function twinOf(
  model: DeviceModel,
  { strictness = "exact", below, log = () => {}, modelsTiles = false }: DeviceTwinOptions,
): DeviceTwin {
  prepareHooks();
  const twin = new Twin(model, { strictness, below, log, commands: (handle) => commandsBelow(layer, handle) });
  const layer: Layer = defineLayer({
    name: "VK_LAYER_PUMICE_device_twin",
    isListed: false, // the device of the source has no such layer
    hides: twin.offer.missingCommands as (keyof RawCommands)[],
    commands: stacked(modelsTiles ? tileHooks(once(log)) : {}, {
      ...notingHooks(twin, queryHooks(() => twin.answers) as Hooks),
      ...choiceHooks(twin),
      ...queueHooks(twin),
      ...memoryHooks(twin),
      ...surfaceHooks(twin),
      ...objectHooks(twin),
      ...shaderHooks(twin),
      ...poolHooks(twin),
      ...deviceHooks(twin),
    }),
  });
  return { layer, refused: twin.refused, lowered: twin.lowered, unread: model.unread };
}

type Hooks = Record<string, AnyHook>;

/** Puts hooks above others. */
function stacked(upper: Hooks, lower: object): Layer["commands"] {
  const hooks = { ...upper, ...lower } as Hooks;
  for (const [command, hook] of Object.entries(upper)) {
    const below = (lower as Hooks)[command];
    if (below) hooks[command] = (next, ...args) => hook((...rest) => below(next, ...rest), ...args);
  }
  return hooks as Layer["commands"];
}

/** Tells each sentence once. */
function once(log: (message: string) => void): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (!told.has(message)) log(message);
    told.add(message);
  };
}
