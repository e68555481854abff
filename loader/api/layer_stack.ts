import type { ManifestLayer } from "../layers/choice/declared/manifest.ts";
import { missingAdvice } from "../chain/failed_creation.ts";
import { enabledExtensions, requestedLayers, requestedVersion } from "../driver/structs/create_info.ts";
import { findExtension } from "../command/registry/extension.ts";
import { Variables } from "../driver/environment/variables.ts";
import type { Driver } from "../driver/interface/driver.ts";
import { instanceExtensions } from "../driver/interface/extension_list.ts";
import { type Finding, hiddenFolders, LAYER_FOLDERS } from "../driver/report/finding.ts";
import type { Layer, LayerExtension } from "../layer.ts";
import type { NativeLayer } from "../layers/choice/library.ts";
import { openInstanceLayers, type OpenLayers } from "../layers/choice/open.ts";
import type { ActiveLayer, InstanceRules, LayerCatalog } from "../layers/choice/rules.ts";
import { type Choice, LayerSource, type SourceOptions } from "../layers/choice/source.ts";
import { isListed, type LayerProperties, type Made, namedProperties, propertiesOf } from "../layers/choice/tell.ts";
import { ForeignCalls } from "../layers/hooks/foreign_calls.ts";
import { LayerPlaces } from "../layers/hooks/places.ts";
import { NewCommands } from "../layers/hooks/new_commands.ts";
import type { PlatformRules } from "../platform/rules.ts";
import { type Arrangement, Interposers, named } from "../interposers/interposers.ts";
import {
  otherVariant,
  type TalkOptions,
  type Tell,
  tellAbsent,
  tellCallstack,
  tellIgnored,
  tellInstance,
  tellRefusal,
  tellUnloading,
  unknownExtension,
} from "./layer_talk.ts";
import { VK_ERROR_EXTENSION_NOT_PRESENT, VK_ERROR_LAYER_NOT_PRESENT } from "../gen/native_gen.ts";

/** Options for finding the layers of a stack, and for the reports about them. */
export interface StackOptions extends SourceOptions, TalkOptions {
  /** Whether libraries stay loaded after they are closed. */
  readonly libraryStays?: boolean;
  /** TypeScript layers for the bottom of those instances that need them by the platform's rules. */
  readonly bottom?: readonly Layer[];
  /** The most calls of other threads that can be recorded. */
  readonly foreignCalls?: number;
}

/** The layers of an instance before its creation. */
export interface InstanceLayers extends Arrangement {
  /** Bottom layers that follow directly below the loader's own top group, because there is no native layer between. */
  readonly bottom: readonly Layer[];
  /**
   * The answer of vkEnumerateDeviceLayerProperties: all active layers, and the
   * meta-layers that brought some of them.
   */
  listed(): readonly LayerProperties[];
  /** Reports the layers with which an instance or one of its devices is created. */
  logCallstack(made: Made, tell?: Tell): void;
  /** Reports that the layers of a VkDeviceCreateInfo are ignored, unless they are those of the instance. */
  warnOfLayers(deviceInfo: bigint, tell: Tell): void;
  /** Reports the device extensions that nobody provides. */
  refuse(extensions: readonly string[], tell: Tell): void;
  /** Further rules of the platform's loader. */
  readonly rules?: InstanceRules;
}

/** A loader's layers: those that the caller gave and, for each instance, those that the machine adds. */
export class LayerStack {
  readonly #driver: Driver;
  #open: OpenLayers;
  readonly #options: StackOptions;
  readonly #source: LayerSource;
  /** The interposers of TypeScript layers below native ones. */
  readonly interposers: Interposers;
  /** Recorded calls of hooked commands on other threads. */
  readonly foreign: ForeignCalls;
  /** Commands that layers add and that the registry does not have. */
  readonly added: NewCommands = new NewCommands();
  #advice: string | undefined;

  /** Takes ownership of the layers that the caller gave. */
  constructor(driver: Driver, open: OpenLayers, options: StackOptions) {
    this.#driver = driver;
    this.#open = open;
    this.#options = options;
    this.#source = new LayerSource(options);
    this.foreign = new ForeignCalls(options.foreignCalls);
    this.added.prepare(this.typescript);
    this.interposers = new Interposers(options.rules.nativeSide, open, this.foreign, this.added);
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

  /** The TypeScript layers for the bottom of instances that enable one of their extensions. */
  get bottom(): readonly Layer[] {
    return this.#options.bottom ?? [];
  }

  /** Makes everything that cannot be made inside a callback. */
  prepareBottom(): void {
    if (this.bottom.length > 0) this.interposers.prepareBelow(this.#open.groups.length, this.bottom);
  }

  /** Whether the driver alone answers the commands that need no instance, because no implicit layer can take part. */
  get driverSaysAll(): boolean {
    const isSilent = this.bottom.flatMap(extensionsOf).every(({ isListed }) => isListed === false);
    return !this.#options.finder.implicit && isSilent && this.beforeInstances().length === 0;
  }

  /** The source of the machine's layers. */
  get source(): LayerSource {
    return this.#source;
  }

  /** The properties of the layers that the caller gave. */
  get given(): LayerProperties[] {
    return namedProperties(this.#open.all);
  }

  /** Whether the loader was given a TypeScript layer, or it was attached to the loader. */
  has(layer: Layer): boolean {
    return this.typescript.includes(layer);
  }

  /** Changes the TypeScript layers of the instances to come, and what they need for the layers in `added`. */
  change(change: (places: LayerPlaces<Layer>) => void, added: readonly Layer[]): void {
    const places = new LayerPlaces(this.#open.groups.map(named));
    change(places);
    this.added.prepare(added);
    this.interposers.prepare(added);
    const groups = this.#open.groups.map((group, index) => ({ ...group, typescript: places.of(index) }));
    this.#open = { ...this.#open, groups, all: groups.flatMap(({ typescript, native }) => [...typescript, ...native]) };
  }

  /** The findings for the last instance. */
  findings(): readonly Finding[] {
    return [...this.#source.findings(this.#present), ...this.foreign.findings()];
  }

  /** All available layers: given ones first, then the machine's. */
  list(): LayerProperties[] {
    const catalog = this.#source.look(true);
    const others = catalog.layers.filter((layer) => catalog.isListed(layer) && !this.#present.includes(layer.name));
    return [...this.given, ...others.map(propertiesOf)];
  }

  /** The instance extensions of a layer; a meta-layer has those of its components, too. `undefined` if there is no such layer. */
  extensionsOf(name: string): readonly LayerExtension[] | undefined {
    const given = this.#open.all.find((layer) => layer.name === name && isListed(layer));
    if (given) return given.instanceExtensions ?? [];
    return this.#declared(name, "instanceExtensions");
  }

  /** The layers that are active although nobody named them for an instance, in the order of the chain. */
  byThemselves(): ActiveLayer[] {
    const { active } = this.#source.choose({ requested: [], present: this.#present }, false);
    return active.filter(({ byItself }) => byItself);
  }

  /**
   * The layers that may take part in commands without an instance: those that are active by themselves, and the implicit
   * ones that the caller gave, which are in every instance, too.
   */
  beforeInstances(): ManifestLayer[] {
    const given = this.#open.native.flatMap(({ manifest }) => manifest ?? []).filter(({ preInstance }) =>
      preInstance.size > 0
    );
    return [...this.byThemselves().map(({ layer }) => layer), ...given];
  }

  /**
   * Chooses and opens the layers of an instance by its create info. Returns a
   * VkResult if the create info names something that is not available.
   */
  prepare(info: bigint): InstanceLayers | number {
    const requested = requestedLayers(info);
    this.#advice = undefined;
    if (!requested) return VK_ERROR_LAYER_NOT_PRESENT;
    const choice = this.#choose(requested, requestedVersion(info)),
      { active, unknown, listed: found, catalog } = choice;
    if (unknown.length > 0) {
      return this.#refused(info, catalog, VK_ERROR_LAYER_NOT_PRESENT, this.#unknownLayers(unknown, catalog));
    }
    const missing = this.#missing(info, found);
    if (missing?.length !== 0) {
      this.#source.add((missing ?? []).map((name) => unknownExtension(name, this.#letsThrough(name))));
      return this.#refused(info, catalog, VK_ERROR_EXTENSION_NOT_PRESENT, missingAdvice("extensions", missing));
    }
    const how = { quiet: this.#source.isQuiet, stays: this.#options.libraryStays };
    const { layers, findings } = openInstanceLayers(catalog, active, this.#open.native, how);
    this.#source.add(findings);
    if (!layers) return this.#refused(info, catalog, VK_ERROR_LAYER_NOT_PRESENT, findings.at(-1)?.reason);
    this.#tell(info, catalog);
    return this.#layersOf(info, requested, choice, layers);
  }

  #unknownLayers(unknown: readonly string[], catalog: LayerCatalog): string {
    const known = [...this.given.map(({ layerName }) => layerName), ...catalog.layers.map(({ name }) => name)];
    const findings = this.#source.findings(this.#present);
    return missingAdvice("layers", unknown, known, hiddenFolders(findings, "layer manifests", LAYER_FOLDERS));
  }

  /** The reason for the last refusal of {@linkcode LayerStack.prepare}, if the result alone does not say. */
  get advice(): string | undefined {
    return this.#advice;
  }

  /** Reports that native code has called a command that is not there. Machine code has written to standard error already. */
  logAbsent(text: string, tell: Tell): void {
    tellAbsent(this.#options, text, tell);
  }

  /** Closes the layers that the caller gave. */
  close(): void {
    this.interposers.close();
    this.foreign.close();
    this.added.close();
    for (const layer of this.#open.native) layer.close();
  }

  /** The names of the layers that the caller gave, without those of which applications are not told. */
  get #present(): readonly string[] {
    return this.#open.all.filter(isListed).map(({ name }) => name);
  }

  /** The bottom layers, if the instance gets them. */
  #bottomOf(info: bigint): readonly Layer[] {
    return this.rules.wantsBottom(this.bottom, this.#driver, info) ? this.bottom : [];
  }

  /** Chooses the layers of an instance. Later reports are about this choice. */
  #choose(requested: readonly string[], apiVersion: number): Choice {
    const present = this.#present, isMore = requested.some((name) => !present.includes(name));
    const choice = this.#source.choose({ requested, present, apiVersion }, isMore);
    this.#source.remember(choice);
    this.#source.add(otherVariant(apiVersion));
    return choice;
  }

  /** Returns the layers of an instance. `opened` are the layers that the machine adds. */
  #layersOf(
    info: bigint,
    requested: readonly string[],
    choice: Choice,
    opened: readonly NativeLayer[],
  ): InstanceLayers {
    const { catalog } = choice, { native, groups, all } = this.#open, bottom = this.#bottomOf(info);
    const listed = choice.listed.filter(({ name }) => !this.#present.includes(name));
    const arranged = this.interposers.arrange(groups, opened, bottom);
    return {
      ...arranged,
      bottom: arranged.groups.hasInterposers ? [] : bottom,
      listed: () => [...this.given, ...listed.map(propertiesOf)],
      logCallstack: (made, tell) => tellCallstack(this.#options, made, [...native, ...opened], choice, tell ?? info),
      warnOfLayers: (deviceInfo, tell) => tellIgnored(this.#options, requested, deviceInfo, choice, tell),
      refuse: (extensions, tell) => tellRefusal(this.#options, extensions, choice, tell),
      rules: catalog.forInstance?.(requested, listed, all),
      close: () => {
        [arranged, ...opened].forEach((each) => each.close());
        tellUnloading(this.#options, opened, choice);
      },
    };
  }

  /** Returns the extensions that neither the driver nor a layer provides; `undefined` if the count has no array. */
  #missing(info: bigint, found: readonly ManifestLayer[]): string[] | undefined {
    const names = enabledExtensions(info);
    if (!names || names.length === 0) return names;
    const given = [...this.#open.all, ...this.#bottomOf(info)].flatMap(extensionsOf);
    const brought = [...given, ...found.flatMap((layer) => layer.instanceExtensions)];
    const driver = this.#driver, own = driver.extensionsFor?.(info) ?? instanceExtensions(driver);
    const known = new Set([...own, ...brought].map(({ extensionName }) => extensionName));
    return names.filter((name) => !known.has(name));
  }

  /** Whether an instance extension may be enabled if a driver lists it. */
  #letsThrough(name: string): boolean {
    const filter = new Variables(this.#options.host, []).read("VK_LOADER_DISABLE_INST_EXT_FILTER");
    return findExtension(name)?.kind === "instance" || (Number.parseInt(filter) || 0) !== 0;
  }

  /** Returns the device extensions that a layer of the machine declares; a meta-layer has those of its components, too. */
  declared(name: string): readonly LayerExtension[] {
    return this.#declared(name, "deviceExtensions") ?? [];
  }

  #declared(name: string, kind: "instanceExtensions" | "deviceExtensions"): LayerExtension[] | undefined {
    const all = this.#source.look(true).named(name)?.flatMap((layer) => layer[kind]);
    return all && [...new Map(all.map((each) => [each.extensionName, each])).values()];
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

/** The instance extensions that a layer provides. */
function extensionsOf(layer: Layer | NativeLayer): readonly LayerExtension[] {
  return layer.instanceExtensions ?? [];
}
