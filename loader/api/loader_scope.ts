import { inFrame } from "../../ffi/arena.ts";
import { SpareMemory } from "../../ffi/spare_memory.ts";
import { InstanceChain } from "../chain/instance_chain.ts";
import type { NativeCall } from "../command/compile.ts";
import { type Command, findCommand } from "../command/registry/table.ts";
import { type Finding, noDriver, withoutRepeats } from "../driver/report/finding.ts";
import type { Driver } from "../driver/interface/driver.ts";
import type { Entrances } from "../install/entrances.ts";
import type { LoaderSurface } from "../install/exports.ts";
import type { Installation } from "../install/installation.ts";
import type { Layer, LayerControls } from "../layer.ts";
import { type LayerPlaces, withControls } from "../layers/hooks/places.ts";
import { compose } from "../layers/hooks/hooks.ts";
import { writeLayerList } from "../layers/choice/tell.ts";
import type { InstanceLayers, LayerStack } from "./layer_stack.ts";
import type { Tell } from "./layer_talk.ts";
import { globalCommands } from "./global_commands.ts";
import { InstanceScope } from "./instance_scope.ts";
import type { InstalledVulkan } from "./installed_vulkan.ts";
import type { Vulkan } from "./vulkan.ts";
import { creationAdvice, surfaceFault } from "../chain/failed_creation.ts";
import { kindOver, METHOD_END, Scope } from "./scope.ts";
import { carryOut, isPutOff } from "./closing.ts";
import { keptAllocator } from "../driver/structs/allocator.ts";
import { VK_ERROR_INCOMPATIBLE_DRIVER, VK_ERROR_INITIALIZATION_FAILED } from "../gen/native_gen.ts";

/** A loader's own layers, or those of one of its instances. */
interface Having {
  has(layer: Layer): boolean;
}

/** The parts of a loader. */
export interface LoaderParts {
  /** The opened driver. */
  readonly driver: Driver;
  /** The opened layers. */
  readonly stack: LayerStack;
  /** The findings for the driver and the layers. */
  findings(): readonly Finding[];
  /** Returns the part of the loader that native code sees after installation. */
  surface(): LoaderSurface;
}

/** A live loader: its driver, its layers and the instances that were created through it. */
export class LoaderScope {
  /** The object for users. */
  readonly vulkan: Vulkan;
  readonly #driver: Driver;
  readonly #layers: LayerStack;
  readonly #scope: Scope;
  readonly #instances = new Map<bigint, InstanceScope>();
  /** The memory of the tables of instances and devices that are gone. */
  readonly #spare = new SpareMemory();
  /**
   * The functions through which native code enters. They stay after the loader
   * was uninstalled, for existing instances.
   */
  #entrances: Entrances | undefined;
  #installation: Installation | undefined;
  readonly #surface: LoaderParts["surface"];
  #open = true;

  /** Takes ownership of an opened driver and opened layers. */
  constructor({ driver, stack: layers, findings, surface }: LoaderParts) {
    this.#driver = driver;
    this.#layers = layers;
    this.#surface = surface;
    this.#scope = new Scope({
      subject: "loader",
      overrides: lookingAnew(layers, [
        ...globalCommands(driver, layers),
        ["vkCreateInstance", (info: bigint, allocator: bigint, out) => this.#createInstance(info, allocator, out)],
      ]),
      has: (command: Command) => command.level === "global",
      // An instance is created through the whole chain. The other commands are answered here, above all native layers.
      layers: (command) => command === "vkCreateInstance" ? layers.top : layers.typescript,
      wrap: (_type, handle) => this.#instances.get(handle)!.instance,
      advise: (result) => layers.advice ?? this.#advice(result),
    }, { "": kindOver(this.#base(findings), "loader") });
    this.vulkan = this.#scope.make("", 0n) as Vulkan;
  }

  /**
   * Closes everything, instances first. During a hook or a message handler,
   * closes afterwards. A second call does nothing.
   */
  close(): void {
    const isAmid = this.#scope.isAmid || this.#instances.values().some((instance) => instance.isAmid);
    if (!this.#open || isPutOff(isAmid, () => this.close())) return;
    this.#open = false;
    this.#uninstall();
    carryOut([
      () => this.#sweep(),
      ...[...this.#instances.values()].map((instance) => () => instance.close()),
      () => this.#entrances?.close(),
      () => this.#scope.close(),
      () => this.#layers.close(),
      () => this.#driver.close(),
      () => this.#spare.close(),
    ]);
  }

  #base(findings: () => readonly Finding[]): object {
    const driver = this.#driver, commands = () => this.#scope.raw;
    const base = {
      get raw() {
        return commands();
      },
      get driver() {
        return driver.path;
      },
      refresh: () => this.#refresh(),
      explain: () => withoutRepeats([...findings(), ...this.#layers.findings()]),
      install: () => this.#install(),
      wrap: (type: string, handle: bigint) => this.#scope.wrap(type, handle),
      close: () => this.close(),
      [Symbol.dispose]: () => this.close(),
    };
    return Object.setPrototypeOf(withControls(base, this.#controls()), METHOD_END);
  }

  #advice(result: number): string {
    const { path, search } = this.#driver;
    return result === VK_ERROR_INCOMPATIBLE_DRIVER && search && path === ""
      ? noDriver(search.findings())
      : creationAdvice(path, result);
  }

  #refresh(): void {
    this.#driver.search?.refresh();
    if (this.#installation) this.#layers.source.keep();
    if (this.#installation) this.#driver.prepare?.();
  }

  /** Returns the controls of the loader's layers, here and in the instances. */
  #controls(): LayerControls<Layer> {
    const { foreign } = this.#layers;
    /** The loader itself refuses what it has. */
    const lacks = (layer: Layer) => (one: Having) => one === this.#layers || !one.has(layer);
    return {
      attach: (layer, place) => this.#change((places) => places.attach(layer, place), lacks(layer), [layer]),
      detach: (layer) => this.#change((places) => places.detach(layer), (one) => one.has(layer)),
      replace: (old, layer) =>
        this.#change(
          (places) => places.replace(old, layer),
          (one) => one.has(old),
          [layer],
          (instance) => instance.handOver(old, layer),
        ),
      drain: () => this.#drain(),
      get lostCalls() {
        return foreign.lost;
      },
      supports: (command) => this.#scope.supports(command),
    };
  }

  /** The records of an instance go first: its end, told afterwards, closes what they speak of. */
  #drain(): number {
    const drained = this.#layers.foreign.drain();
    this.#sweep();
    return drained;
  }

  /**
   * Changes the layers of the instances to come and of those instances that it
   * is meant for. Changes nothing if that cannot be done in one of them. A
   * change that is meant for nobody is the loader's, which refuses it.
   */
  #change(
    change: (places: LayerPlaces<Layer>) => void,
    isMeant: (one: Having) => boolean,
    added: readonly Layer[] = [],
    prepare: (instance: InstanceScope) => void = () => {},
  ): void {
    this.#sweep();
    const instances = [...this.#instances.values()].filter(isMeant);
    for (const instance of instances) instance.tryOut(change);
    for (const instance of instances) prepare(instance);
    if (isMeant(this.#layers) || instances.length === 0) this.#layers.change(change, added);
    this.#entrances?.prepare([...this.#layers.top, ...this.#layers.bottom]);
    this.#scope.refresh();
    for (const instance of instances) instance.change(change);
  }

  #createInstance(info: bigint, allocator: bigint, out: bigint): number {
    if (info === 0n || out === 0n) return VK_ERROR_INITIALIZATION_FAILED;
    const layers = this.#layers.prepare(info);
    if (typeof layers === "number") return layers;
    const last: NativeCall = (...args) => this.#callChain(layers, args);
    return compose(layers.bottom, findCommand("vkCreateInstance")!, last)(info, allocator, out) as number;
  }

  /** Calls vkCreateInstance down the chain. Closes the layers again if no instance is created. */
  #callChain(layers: InstanceLayers, [info, allocator, out]: bigint[]): number {
    const { elements, rules } = layers, driver = this.#driver;
    const listLayers = (count: bigint, list: bigint) => writeLayerList(this.#layers.list(), count, list);
    const linking = this.#layers.rules.nativeSide?.chainLinking;
    const request = { driver, elements, allocator, out, listLayers, linking, reserve: this.#spare };
    let isMade = false;
    try {
      const chain = inFrame(() => InstanceChain.create({ ...request, info: rules?.createInfo(info) ?? info }));
      surfaceFault(chain, allocator);
      if (typeof chain === "number") return chain;
      isMade = true;
      this.#hold(chain, layers, allocator);
      return 0;
    } finally {
      if (!isMade) layers.close();
    }
  }

  /** Makes the object of a new instance, and ties everything to the instance that has to end with it. */
  #hold(chain: InstanceChain, layers: InstanceLayers, allocator: bigint): void {
    layers.logCallstack("instance");
    const answers = layers.rules?.answerAbove(chain.table);
    this.#sweep();
    const instance: InstanceScope = new InstanceScope(chain, {
      groups: layers.groups,
      drain: () => this.#drain(),
      lostCalls: () => this.#layers.foreign.lost,
      interposers: this.#layers.interposers.all,
      listed: layers.listed,
      makesDevice: (deviceInfo) => {
        const tell: Tell = (message) => chain.tell(message);
        layers.warnOfLayers(deviceInfo, tell);
        layers.logCallstack("device", tell);
      },
      declared: (layer) => this.#layers.declared(layer),
      refusesDevice: (extensions) => layers.refuse(extensions, (message) => chain.tell(message)),
      lacks: (text) => this.#layers.logAbsent(text, (message) => instance.isOrphan || chain.tell(message)),
      madeDevice: (deviceInfo) => this.#layers.source.add(layers.rules?.aboutDevice(deviceInfo) ?? []),
      added: this.#layers.added,
      entrances: () => this.#entrances,
      allocator: keptAllocator(allocator),
      forget: () => {
        this.#instances.delete(chain.handle);
        answers?.[Symbol.dispose]();
        layers.close();
      },
    });
    this.#instances.set(chain.handle, instance);
    if (this.#installation) instance.enter(this.#entrances!);
    if (this.#installation && layers.elements.length > 0) this.#layers.rules.nativeSide!.restockLater();
  }

  #install(): InstalledVulkan {
    const surface = this.#surface(), { Installation, Entrances, restock } = this.#layers.rules.nativeSide!;
    this.#installation = new Installation(this.#scope.raw, surface, this.#driver, this.#layers.driverSaysAll);
    this.#entrances ??= new Entrances(this.#layers.foreign);
    this.#entrances.prepare([...this.#layers.top, ...this.#layers.bottom]);
    this.#layers.prepareBottom();
    this.#setCollecting(true);
    this.#layers.source.keep();
    this.#driver.prepare?.();
    restock();
    for (const instance of this.#instances.values()) instance.enter(this.#entrances);
    const uninstall = () => this.#uninstall();
    const instances = () => {
      this.#sweep();
      return [...this.#instances.values()].map(({ instance }) => instance);
    };
    return { instances, uninstall, [Symbol.dispose]: uninstall };
  }

  /** Frees the remains of instances that native code has destroyed. */
  #sweep(): void {
    this.#entrances?.drain();
    for (const instance of [...this.#instances.values()]) if (instance.isOrphan) instance.destroy(0n);
  }

  #uninstall(): void {
    this.#installation?.close();
    this.#installation = undefined;
    this.#setCollecting(false);
    this.#layers.source.release();
  }

  #setCollecting(may: boolean): void {
    this.#layers.interposers.mayCollect = may;
  }
}

/** Each command uses the layers of the moment of the call. */
function lookingAnew(layers: LayerStack, commands: readonly [string, NativeCall][]): Map<string, NativeCall> {
  return new Map(commands.map(([name, run]) => [
    name,
    (...args) => {
      layers.source.next();
      return run(...args);
    },
  ]));
}
