import { missingAdvice } from "../chain/advice.ts";
import { enabledExtensions, requestedLayers, requestedVersion } from "../driver/structs/create_info.ts";
import type { Driver } from "../driver/interface/driver.ts";
import { instanceExtensions } from "../driver/interface/extension_list.ts";
import type { Finding } from "../driver/report/finding.ts";
import type { Layer, LayerExtension } from "../layer.ts";
import type { ActiveLayer } from "../layers/choice/choose.ts";
import type { NativeLayer } from "../layers/choice/library.ts";
import { componentsNamed } from "../layers/choice/declared/meta.ts";
import { openInstanceLayers, type OpenLayers } from "../layers/choice/open.ts";
import type { InstanceRules, LayerCatalog } from "../layers/choice/rules.ts";
import { type Choice, LayerSource, type SourceOptions } from "../layers/choice/source.ts";
import { type LayerProperties, type Made, namedProperties, propertiesOf } from "../layers/choice/tell.ts";
import { ForeignCalls } from "../layers/hooks/foreign_calls.ts";
import { NewCommands } from "../layers/hooks/new_commands.ts";
import type { PlatformRules } from "../platform/rules.ts";
import { type Arrangement, Seats } from "../seats/seats.ts";
import {
  otherVariant,
  type TalkOptions,
  type Tell,
  tellCallstack,
  tellInstance,
  tellRefusal,
  unknownExtension,
} from "./layer_talk.ts";

const VK_ERROR_LAYER_NOT_PRESENT = -6, VK_ERROR_EXTENSION_NOT_PRESENT = -7;

/** How a stack of layers finds and says things. */
export interface StackOptions extends SourceOptions, TalkOptions {
  /** Whether libraries stay loaded when they are closed. */
  readonly libraryStays?: boolean;
  /** TypeScript layers for the bottom of those instances that want them by the platform's rules. */
  readonly bottom?: readonly Layer[];
  /** How many calls of other threads there is room for. */
  readonly foreignCalls?: number;
}

/** The layers of one instance that is about to be made. */
export interface InstanceLayers extends Arrangement {
  /** Those of the bottom that stand right below the loader's own top group, as there is no native layer between. */
  readonly bottom: readonly Layer[];
  /** What vkEnumerateDeviceLayerProperties says: all that are in force, and the meta-layers that brought some. */
  listed(): readonly LayerProperties[];
  /** Says which layers the instance, which is being made, or a device of it is made with. */
  logCallstack(made: Made, tell?: Tell): void;
  /** Says which device extensions nobody has. */
  refuse(extensions: readonly string[], tell: Tell): void;
  /** What the platform's loader does beside. */
  readonly rules?: InstanceRules;
}

/** A loader's layers: those it was given, and for each instance those that the machine adds. */
export class LayerStack {
  readonly #driver: Driver;
  #open: OpenLayers;
  readonly #options: StackOptions;
  readonly #source: LayerSource;
  /** The places of TypeScript layers below native ones. */
  readonly seats: Seats;
  /** Calls that other threads made of hooked commands. */
  readonly foreign: ForeignCalls;
  /** Commands that layers add and the registry does not know. */
  readonly added: NewCommands = new NewCommands();
  #advice: string | undefined;

  /** Takes over the layers a loader was given. */
  constructor(driver: Driver, open: OpenLayers, options: StackOptions) {
    this.#driver = driver;
    this.#open = open;
    this.#options = options;
    this.#source = new LayerSource(options);
    this.foreign = new ForeignCalls(options.foreignCalls);
    this.added.prepare(this.typescript);
    this.seats = new Seats(options.rules.nativeSide, open, this.foreign, this.added);
  }

  /** The platform's rules. */
  get rules(): PlatformRules {
    return this.#options.rules;
  }

  /** The TypeScript layers above all native ones, top to bottom. */
  get top(): readonly Layer[] {
    return this.#open.groups[0].typescript;
  }

  /** All TypeScript layers, top to bottom. */
  get typescript(): readonly Layer[] {
    return this.#open.groups.flatMap(({ typescript }) => typescript);
  }

  /** The TypeScript layers for the bottom of instances that ask for what they bring. */
  get bottom(): readonly Layer[] {
    return this.#options.bottom ?? [];
  }

  /** Makes everything beforehand that cannot be made inside a callback. */
  prepareBottom(): void {
    if (this.bottom.length > 0) this.seats.prepareBelow(this.#open.groups.length, this.bottom);
  }

  /** Whether, before there is an instance, the driver says all there is to say, and no layer that nobody named can have a part in it. */
  get driverSaysAll(): boolean {
    const isSilent = this.bottom.flatMap(extensionsOf).every(({ isListed }) => isListed === false);
    return !this.#options.finder.implicit && isSilent && this.byThemselves().length === 0;
  }

  /** Where the machine's layers come from. */
  get source(): LayerSource {
    return this.#source;
  }

  /** What there is to tell of the layers the loader was given. */
  get given(): LayerProperties[] {
    return namedProperties(this.#open.all);
  }

  /**
   * Puts a TypeScript layer in the place of another, for the instances to come.
   * Throws a `TypeError` when that is not there, unless it is elsewhere.
   */
  replace(old: Layer, layer: Layer, isElsewhere: boolean): void {
    const { all, groups } = this.#open;
    if (!all.includes(old)) {
      if (isElsewhere) return;
      throw new TypeError(
        `Cannot replace ${old.name}: it stands nowhere in this loader; pass the object that was given`,
      );
    }
    const exchanged = <Item>(list: readonly Item[]) =>
      list.map((each): Item => each === old as Item ? layer as Item : each);
    this.added.prepare([layer]);
    this.seats.prepare([layer]);
    this.#open = {
      ...this.#open,
      all: exchanged(all),
      groups: groups.map((group) => ({ ...group, typescript: exchanged(group.typescript) })),
    };
  }

  /** What was looked at for the last instance. */
  findings(): readonly Finding[] {
    return [...this.#source.findings(this.#present), ...this.foreign.findings()];
  }

  /** All layers there are: given ones first, then the machine's. */
  list(): LayerProperties[] {
    const catalog = this.#source.look(true);
    const others = catalog.layers.filter((layer) => catalog.isListed(layer) && !this.#present.includes(layer.name));
    return [...this.given, ...others.map(propertiesOf)];
  }

  /** The instance extensions of a layer, a meta-layer's from its components; `undefined` when there is no such layer. */
  extensionsOf(name: string): readonly LayerExtension[] | undefined {
    const given = this.#open.all.find((layer) => layer.name === name);
    if (given) return given.instanceExtensions ?? [];
    return componentsNamed(name, this.#source.look(true).layers)?.flatMap((layer) => layer.instanceExtensions);
  }

  /** Those that count though nobody named them for an instance, in the order of the chain. */
  byThemselves(): ActiveLayer[] {
    const { active } = this.#source.choose({ requested: [], present: this.#present }, false);
    return active.filter(({ byItself }) => byItself);
  }

  /** Chooses and opens the layers of an instance by its create info. A VkResult when that asks for what is not there. */
  prepare(info: bigint): InstanceLayers | number {
    const requested = requestedLayers(info);
    this.#advice = undefined;
    if (!requested) return VK_ERROR_LAYER_NOT_PRESENT;
    const choice = this.#choose(requested, requestedVersion(info)), { active, unknown, catalog } = choice;
    if (unknown.length > 0) {
      return this.#refused(info, catalog, VK_ERROR_LAYER_NOT_PRESENT, missingAdvice("layers", unknown));
    }
    const missing = this.#missing(info, active);
    if (missing?.length !== 0) {
      this.#source.add((missing ?? []).map(unknownExtension));
      return this.#refused(info, catalog, VK_ERROR_EXTENSION_NOT_PRESENT, missingAdvice("extensions", missing));
    }
    const how = { quiet: this.#source.isQuiet, stays: this.#options.libraryStays };
    const { layers, findings } = openInstanceLayers(catalog, active, this.#open.native, how);
    this.#source.add(findings);
    if (!layers) return this.#refused(info, catalog, VK_ERROR_LAYER_NOT_PRESENT, findings.at(-1)?.reason);
    this.#tell(info, catalog);
    return this.#layersOf(info, requested, choice, layers);
  }

  /** Why the last {@linkcode LayerStack.prepare} refused, if there is more to say than its result. */
  get advice(): string | undefined {
    return this.#advice;
  }

  /** Closes the layers the loader was given. */
  close(): void {
    this.seats.close();
    this.foreign.close();
    this.added.close();
    for (const layer of this.#open.native) layer.close();
  }

  /** The names of those the loader was given. */
  get #present(): readonly string[] {
    return this.#open.all.map(({ name }) => name);
  }

  /** The bottom layers, for an instance that has them. */
  #bottomOf(info: bigint): readonly Layer[] {
    return this.rules.wantsBottom(this.bottom, this.#driver, info) ? this.bottom : [];
  }

  /** Which layers an instance gets. That is what is told of from now on. */
  #choose(requested: readonly string[], apiVersion: number): Choice {
    const present = this.#present, isMore = requested.some((name) => !present.includes(name));
    const choice = this.#source.choose({ requested, present, apiVersion }, isMore);
    this.#source.remember(choice);
    this.#source.add(otherVariant(apiVersion));
    return choice;
  }

  /** The layers of an instance; `opened` are those that the machine adds. */
  #layersOf(
    info: bigint,
    requested: readonly string[],
    choice: Choice,
    opened: readonly NativeLayer[],
  ): InstanceLayers {
    const { catalog } = choice, { native, groups, all } = this.#open, bottom = this.#bottomOf(info);
    const listed = choice.listed.filter(({ name }) => !this.#present.includes(name));
    const arranged = this.seats.arrange(groups, opened, bottom);
    return {
      ...arranged,
      bottom: arranged.groups.hasSeats ? [] : bottom,
      listed: () => [...this.given, ...listed.map(propertiesOf)],
      logCallstack: (made, tell) => tellCallstack(this.#options, made, [...native, ...opened], choice, tell ?? info),
      refuse: (extensions, tell) => tellRefusal(this.#options, extensions, choice, tell),
      rules: catalog.forInstance?.(requested, listed, all),
      close: () => [arranged, ...opened].forEach((each) => each.close()),
    };
  }

  /** The extensions that neither the driver nor a layer has; `undefined` without an array to the count. */
  #missing(info: bigint, active: readonly ActiveLayer[]): string[] | undefined {
    const names = enabledExtensions(info);
    if (!names || names.length === 0) return names;
    const given = [...this.#open.all, ...this.#bottomOf(info)].flatMap(extensionsOf);
    const brought = [...given, ...active.flatMap(({ layer }) => layer.instanceExtensions)];
    const known = new Set([...instanceExtensions(this.#driver), ...brought].map(({ extensionName }) => extensionName));
    return names.filter((name) => !known.has(name));
  }

  #refused(info: bigint, catalog: LayerCatalog, result: number, reason?: string): number {
    this.#advice = reason;
    this.#tell(info, catalog);
    return result;
  }

  #tell(info: bigint, catalog: LayerCatalog): void {
    tellInstance(this.#options, this.#driver, this.findings(), catalog, info);
  }
}

/** The instance extensions that a layer brings. */
function extensionsOf(layer: Layer | NativeLayer): readonly LayerExtension[] {
  return layer.instanceExtensions ?? [];
}
