import { missingAdvice } from "../chain/advice.ts";
import { requestedVersion } from "../chain/create_info.ts";
import type { ChainElement } from "../chain/element.ts";
import { deviceElements } from "../chain/links.ts";
import { enabledExtensions } from "../driver/enabled_extensions.ts";
import { instanceExtensions } from "../driver/extension_list.ts";
import type { Driver } from "../driver/driver.ts";
import type { Finding } from "../driver/finding.ts";
import { LOG, logFindings, logMask, type LogMessage, messagesOf, writeMessages } from "../driver/log.ts";
import type { Layer, LayerExtension } from "../layer.ts";
import { type ActiveLayer, requestedLayers } from "../layers/choice/choose.ts";
import {
  callstack,
  type LayerProperties,
  type Made,
  namedProperties,
  propertiesOf,
  shown,
} from "../layers/choice/tell.ts";
import { ForeignCalls } from "../layers/hooks/foreign_calls.ts";
import { type OpenGroup, openInstanceLayers, type OpenLayers } from "../layers/choice/open.ts";
import { LayerGroups } from "../layers/hooks/groups.ts";
import type { InstanceRules, LayerCatalog } from "../layers/choice/rules.ts";
import { type Choice, LayerSource, type SourceOptions } from "../layers/choice/source.ts";
import { componentsNamed } from "../layers/choice/meta.ts";
import { NewCommands } from "../layers/hooks/new_commands.ts";
import type { NativeLayer } from "../layers/choice/library.ts";
import type { PlatformRules } from "../platform/rules.ts";
import type { NativeSide } from "../platform/native_side.ts";
import type { Seat } from "../seats/seat.ts";

const VK_ERROR_LAYER_NOT_PRESENT = -6, VK_ERROR_EXTENSION_NOT_PRESENT = -7;

/** Where nothing is written to standard error. */
const SILENT = { env: () => undefined, writeError() {} };

/** How a stack of layers finds and says things. */
export interface StackOptions extends SourceOptions {
  /** The platform's rules. */
  readonly rules: PlatformRules;
  /** Whether libraries stay loaded when they are closed. */
  readonly libraryStays?: boolean;
  /** Told what was looked at. */
  readonly log?: (message: string) => void;
  /** TypeScript layers for the bottom of those instances that want them by the platform's rules. */
  readonly bottom?: readonly Layer[];
  /** How many calls of other threads there is room for. */
  readonly foreignCalls?: number;
}

/** Tells those who listen to an instance. */
export type Tell = (message: LogMessage) => void;

/** The layers of one instance that is about to be made. */
export interface InstanceLayers {
  /** The native chain, top to bottom: native layers, and seats of TypeScript layers below them. */
  readonly elements: readonly ChainElement[];
  /** Its TypeScript layers. */
  readonly groups: LayerGroups;
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
  /** Closes the libraries of those opened for this instance. */
  close(): void;
}

/** A loader's layers: those it was given, and for each instance those that the machine adds. */
export class LayerStack {
  readonly #driver: Driver;
  #open: OpenLayers;
  readonly #options: StackOptions;
  readonly #source: LayerSource;
  readonly #seats: Seat[];
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
    this.#seats = seatsFor(options.rules.nativeSide, open, this.foreign, this.added);
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

  /** The places of TypeScript layers below native ones, top to bottom. */
  get seats(): readonly Seat[] {
    return this.#seats;
  }

  /** The TypeScript layers for the bottom of instances that ask for what they bring. */
  get bottom(): readonly Layer[] {
    return this.#options.bottom ?? [];
  }

  /** Makes everything beforehand that cannot be made inside a callback. */
  prepareBottom(): void {
    if (this.bottom.length > 0) this.#seatBottom(this.#open.groups.length);
  }

  /** Whether, before there is an instance, the driver says all there is to say, and no layer that nobody named can have a part in it. */
  get driverSaysAll(): boolean {
    const listed = this.bottom.flatMap((each) => each.instanceExtensions ?? []).filter((each) =>
      each.isListed !== false
    );
    return !this.#options.finder.implicit && listed.length === 0 && this.byThemselves().length === 0;
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
    this.#seats.forEach((seat) => seat.prepare([layer]));
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
    const wanted = requested.some((name) => !this.#present.includes(name));
    const request = { requested, present: this.#present, apiVersion: requestedVersion(info) };
    const choice = this.#source.choose(request, wanted), { active, unknown, catalog } = choice;
    this.#source.remember(choice);
    this.#source.add(otherVariant(requestedVersion(info)));
    if (unknown.length > 0) {
      return this.#refused(info, catalog, VK_ERROR_LAYER_NOT_PRESENT, missingAdvice("layers", unknown));
    }
    const missing = this.#missing(info, active);
    if (missing?.length !== 0) {
      this.#source.add((missing ?? []).map(unknownExtension));
      return this.#refused(info, catalog, VK_ERROR_EXTENSION_NOT_PRESENT, missingAdvice("extensions", missing));
    }
    const { layers, findings } = openInstanceLayers(catalog, active, this.#open.native, {
      quiet: this.#source.isQuiet,
      stays: this.#options.libraryStays,
    });
    this.#source.add(findings);
    if (!layers) return this.#refused(info, catalog, VK_ERROR_LAYER_NOT_PRESENT, findings.at(-1)?.reason);
    this.#say(info, catalog);
    const listed = choice.listed.filter(({ name }) => !this.#present.includes(name));
    const native = [...this.#open.native, ...layers], bottom = this.#bottomOf(info);
    const arranged = arrange(this.#open.groups, layers, bottom), groups = groupsOf(arranged);
    if (bottom.length > 0) this.#seatBottom(arranged.length - 1);
    const { nativeSide } = this.rules;
    const seated = this.#seats.slice(0, arranged.length - 1).map((seat) => new nativeSide!.SeatElement(seat, groups));
    return {
      elements: arranged.flatMap((group, index) => [...seated.slice(Math.max(index - 1, 0), index), ...group.native]),
      groups,
      bottom: arranged.length === 1 ? bottom : [],
      listed: () => [...this.given, ...listed.map(propertiesOf)],
      logCallstack: (made, tell) => this.#logCallstack(made, native, choice, tell ?? info),
      refuse: (extensions, tell) => this.#write(extensions.length === 0 ? [] : refused(extensions), choice, tell),
      rules: catalog.forInstance?.(requested, listed, this.#open.all),
      close: () => [...seated, ...layers].forEach((layer) => layer.close()),
    };
  }

  /** Why the last {@linkcode LayerStack.prepare} refused, if there is more to say than its result. */
  get advice(): string | undefined {
    return this.#advice;
  }

  /** Closes the layers the loader was given. */
  close(): void {
    for (const seat of this.#seats) seat.close();
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

  /** Has a place for the bottom layers below native ones, too: in one of so many seats. */
  #seatBottom(seats: number): void {
    const { nativeSide } = this.rules, next = () => this.#seats.length;
    while (next() < seats) this.#seats.push(new nativeSide!.Seat(next(), this.foreign, this.added));
    this.#seats.at(-1)?.prepare(this.bottom);
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
    this.#say(info, catalog);
    return result;
  }

  /** Says what was looked at for an instance to the log, to standard error, and to whoever listens from its create info on. */
  #say(info: bigint, { settings }: LayerCatalog): void {
    const { log, host, rules } = this.#options, own = this.findings();
    const all = () => [...this.#driver.search?.findings() ?? [], ...own];
    if (host.isQuiet) {
      logFindings(all(), undefined, host, settings?.stderrLog);
      if (log) Promise.resolve().then(() => logFindings(own, log, SILENT)); // it may do what callbacks must not
    } else if (own.length > 0) logFindings(own, log, host, settings?.stderrLog);
    rules.tell(info, () => all().flatMap(messagesOf));
  }

  /** `to`: whom to tell, or a VkInstanceCreateInfo in whose chain they are. */
  #logCallstack(made: Made, elements: readonly NativeLayer[], choice: Choice, to: Tell | bigint): void {
    const parts = made === "device" ? deviceElements(elements) : elements;
    if (elements.length === 0 && !this.#options.host.isQuiet) return;
    this.#write(callstack(made, parts.map((layer) => shown(layer, choice.active))), choice, to);
  }

  /** Writes messages to standard error, as far as that is asked for, and tells them. */
  #write(messages: readonly LogMessage[], { catalog }: Choice, to: Tell | bigint): void {
    const { host } = this.#options;
    writeMessages(messages, host, logMask(host) | (catalog.settings?.stderrLog ?? 0));
    if (typeof to === "bigint") this.rules.tell(to, () => messages);
    else messages.forEach(to);
  }
}

/** What is said of device extensions that nobody has. */
function refused(extensions: readonly string[]): LogMessage[] {
  const texts = extensions.slice(0, 1).map((name) =>
    `loader_validate_device_extensions: Device extension ${name} not supported by selected physical device or enabled layers.`
  );
  return [...texts, "vkCreateDevice: Failed to validate extensions in list"].map((text) => ({
    level: "error",
    bits: LOG.error,
    text,
  }));
}

/** That an application asks for a variant of Vulkan; it gets Vulkan. */
function otherVariant(version: number): Finding[] {
  const variant = version >>> 29, path = "VkApplicationInfo.apiVersion", value = `0x${version.toString(16)}`;
  if (variant === 0) return [];
  const reason = `asks for variant ${variant} of Vulkan, and gets variant 0`;
  const message =
    `vkCreateInstance: The API Variant specified in pCreateInfo->pApplicationInfo.apiVersion is ${variant} ` +
    "instead of the expected value of 0.";
  return [{ subject: "setting", path, value, origin: "application", taken: false, reason, level: "warning", message }];
}

/** That an extension which was asked for is nobody's. */
function unknownExtension(path: string): Finding {
  const reason = "asked for by the application, and neither a driver nor a layer in force has it";
  const message =
    `loader_validate_instance_extensions: Instance extension ${path} not supported by available ICDs or enabled layers.`;
  return { subject: "setting", path, origin: "ppEnabledExtensionNames", taken: false, reason, level: "error", message };
}

/** The instance extensions that a layer brings. */
function extensionsOf(layer: Layer | NativeLayer): readonly LayerExtension[] {
  return layer.instanceExtensions ?? [];
}

/** Where layers stand in an instance that gets these of the machine below its own, and the bottom ones below all. */
function arrange(
  groups: readonly OpenGroup[],
  added: readonly NativeLayer[],
  bottom: readonly Layer[],
): readonly OpenGroup[] {
  const last = groups.at(-1)!, native = [...last.native, ...added], above = groups.slice(0, -1);
  if (bottom.length === 0) return [...above, { ...last, native }];
  if (native.length > 0) return [...above, { ...last, native }, { typescript: bottom, native: [] }];
  return [...above, { typescript: [...last.typescript, ...bottom], native }];
}

function groupsOf(arranged: readonly OpenGroup[]): LayerGroups {
  return new LayerGroups(
    arranged.map(({ typescript, native }) => ({ typescript, native: native.map(({ name }) => name) })),
  );
}

/** The seats that the groups below the first stand in; without them, the layers are closed again. */
function seatsFor(
  nativeSide: NativeSide | undefined,
  { groups, native }: OpenLayers,
  foreign: ForeignCalls,
  added: NewCommands,
): Seat[] {
  const seats: Seat[] = [];
  try {
    for (const { typescript } of groups.slice(1)) {
      seats.push(new nativeSide!.Seat(seats.length, foreign, added));
      seats.at(-1)!.prepare(typescript);
    }
    return seats;
  } catch (error) {
    for (const each of [...seats, ...native]) each.close();
    throw error;
  }
}
