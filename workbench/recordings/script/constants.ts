import { ENUM_NAMES } from "../../../loader/gen/enum_names_gen.js";
import { layoutOf } from "../../../loader/codec/layout/layout.ts";
import type { Spec } from "../../../loader/codec/layout/spec.ts";
import { Names } from "../../../loader/layers/shipped/trace/names.ts";

// Loaded when it is needed: cli/commands.ts says why "as string".
type VkModule = typeof import("../../../loader/vk.ts");

/** Constants without an enum, by the names of the members and parameters that have them. */
const SPECIAL: readonly (readonly [names: RegExp, constant: string])[] = [
  [/QueueFamilyInd(ex|ices)$/i, "VK_QUEUE_FAMILY_IGNORED"],
  [/^levelCount$/, "VK_REMAINING_MIP_LEVELS"],
  [/^layerCount$/, "VK_REMAINING_ARRAY_LAYERS"],
  [/^attachment$/, "VK_ATTACHMENT_UNUSED"],
  [/Subpass$/, "VK_SUBPASS_EXTERNAL"],
  [/^(size|range|dataSize)$/, "VK_WHOLE_SIZE"],
  [/^maxLod$/, "VK_LOD_CLAMP_NONE"],
];

/** All constants of Vulkan. They are loaded only where a script is written. */
type AllConstants = Readonly<Record<string, unknown>>;

/** The name of the module of all constants in a script. */
const MODULE = "vk";

/** Names the numbers of a script. */
export class Constants {
  readonly #names = new Names(ENUM_NAMES);
  readonly #all: AllConstants;
  #structs: ReadonlyMap<unknown, string> | undefined;

  private constructor(all: AllConstants) {
    this.#all = all;
  }

  /** Loads all constants. */
  static async load(): Promise<Constants> {
    return new Constants(await import("../../../loader/vk.ts" as string) as VkModule);
  }

  /** Returns the name of a number, or names with `|` between them; `undefined` if the number has no name. */
  of({ name, type }: Pick<Spec, "name" | "type">, value: number | string): string | undefined {
    const special = SPECIAL.find(([names, constant]) => names.test(name) && `${this.#all[constant]}` === `${value}`);
    if (special) return this.use(special[1]);
    const text = this.#names.of(type, value), parts = text?.split(" | ") ?? [];
    // A number without a name, or with a name that cannot be imported, stays a number.
    if (parts.length === 0 || parts.some((part) => !(part in this.#all))) return undefined;
    return parts.map((part) => this.use(part)).join(" | ");
  }

  /** Returns the name of a struct's type. */
  structureType(struct: string): string {
    const { sType } = layoutOf(struct), named = /^VK_STRUCTURE_TYPE_/;
    this.#structs ??= new Map(
      Object.entries(this.#all).filter(([name]) => named.test(name)).reverse().map(([name, value]) => [value, name]),
    );
    return this.use(this.#structs.get(sType)!);
  }

  /** Returns the name of a version of Vulkan; `undefined` for 1.0 and for none. */
  version(version = 0): string | undefined {
    const minor = version >>> 12 & 0x3ff, name = `VK_API_VERSION_1_${minor}`;
    return minor > 0 && name in this.#all ? this.use(name) : undefined;
  }

  /** Returns a constant as a script has it. */
  use(name: string): string {
    return `${MODULE}.${name}`;
  }
}
