import { InstanceChain } from "../chain/instance_chain.ts";
import type { Command } from "../command/table.ts";
import type { Driver } from "../driver/driver.ts";
import type { Finding } from "../driver/select.ts";
import { Entrances } from "../install/entrances.ts";
import { Installation, restockLater } from "../install/installation.ts";
import type { OpenLayers } from "../layers/open_layers.ts";
import { globalCommands } from "./global_commands.ts";
import { InstanceScope } from "./instance_scope.ts";
import type { Installed } from "./installed.ts";
import type { Vulkan } from "./load_vulkan.ts";
import { creationAdvice } from "./advice.ts";
import { knowsRequestedLayers } from "./requested_layers.ts";
import { METHOD_END, Scope } from "./scope.ts";
import { surfaceFault } from "./surface_fault.ts";

const VK_ERROR_LAYER_NOT_PRESENT = -6;

/** A live loader: its driver, its layers and the instances made through it. */
export class LoaderScope {
  /** The object users hold. */
  readonly vulkan: Vulkan;
  readonly #driver: Driver;
  readonly #layers: OpenLayers;
  readonly #scope: Scope;
  readonly #names: readonly string[];
  readonly #instances = new Map<bigint, InstanceScope>();
  /** Where native code enters; stays after the loader was uninstalled, for the instances there are. */
  #entrances: Entrances | undefined;
  #installation: Installation | undefined;
  #open = true;

  /** Takes over an opened driver and opened layers. */
  constructor(driver: Driver, layers: OpenLayers, findings: readonly Finding[]) {
    this.#driver = driver;
    this.#layers = layers;
    this.#names = [...layers.typescript, ...layers.native].map((layer) => layer.name);
    this.#scope = new Scope({
      types: [""],
      subject: "loader",
      overrides: new Map([
        ...globalCommands(driver, this.#names),
        [
          "vkCreateInstance",
          (info: bigint, allocator: bigint, out: bigint) => this.#createInstance(info, allocator, out),
        ],
      ]),
      has: (command: Command) => command.level === "global",
      layers: () => this.#layers.typescript,
      wrap: (_type, handle) => this.#instances.get(handle)!.instance,
      advise: (result) => creationAdvice(driver.path, result),
    }, { "": this.#base(findings) });
    this.vulkan = this.#scope.make("", 0n) as Vulkan;
  }

  /** Closes everything, instances first. A second call does nothing. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#uninstall();
    this.#sweep();
    for (const instance of [...this.#instances.values()]) instance.close();
    this.#entrances?.close();
    this.#scope.close();
    for (const layer of this.#layers.native) layer.close();
    this.#driver.close();
  }

  #base(findings: readonly Finding[]): object {
    const base = {
      driver: this.#driver.path,
      explain: () => [...findings],
      install: () => this.#install(),
      wrap: (type: string, handle: bigint) => this.#scope.wrap(type, handle),
      close: () => this.close(),
      [Symbol.dispose]: () => this.close(),
    };
    return Object.setPrototypeOf(base, METHOD_END);
  }

  #createInstance(info: bigint, allocator: bigint, out: bigint): number {
    if (!knowsRequestedLayers(info, this.#names)) return VK_ERROR_LAYER_NOT_PRESENT;
    const chain = InstanceChain.create(this.#driver, this.#layers.native, info, allocator, out);
    surfaceFault(chain, allocator);
    if (typeof chain === "number") return chain;
    this.#sweep();
    const instance = new InstanceScope(chain, {
      layers: this.#layers.typescript,
      names: this.#names,
      entrances: () => this.#entrances,
      forget: () => this.#instances.delete(chain.handle),
    });
    this.#instances.set(chain.handle, instance);
    if (this.#installation) instance.enter(this.#entrances!);
    if (this.#installation && this.#layers.native.length > 0) restockLater();
    return 0;
  }

  #install(): Installed {
    this.#installation = new Installation(this.#scope.raw, this.#driver);
    this.#entrances ??= new Entrances();
    this.#entrances.prepare(this.#layers.typescript);
    for (const instance of this.#instances.values()) instance.enter(this.#entrances);
    const uninstall = () => this.#uninstall();
    const instances = () => {
      this.#sweep();
      return [...this.#instances.values()].map(({ instance }) => instance);
    };
    return { instances, uninstall, [Symbol.dispose]: uninstall };
  }

  /** Frees what is left of instances that native code has destroyed. */
  #sweep(): void {
    for (const instance of [...this.#instances.values()]) if (instance.isOrphan) instance.destroy(0n);
  }

  #uninstall(): void {
    this.#installation?.close();
    this.#installation = undefined;
  }
}
