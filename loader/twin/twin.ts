import type { StructObject } from "../codec/codec.ts";
import { resultName } from "../error.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import type { Settings } from "../layers/shipped/limits/settings.ts";
import { VK_MAKE_API_VERSION } from "../version.ts";
import { answersOf, Offer, STRICTNESSES, type TwinStrictness } from "./answers.ts";
import { DeviceAccount } from "./device_account.ts";
import { FactsBelow } from "./facts_below.ts";
import { heapsOf, MemoryMap } from "./memory_map.ts";
import { missingBelow } from "./missing.ts";
import { type DeviceModel, limitsOf } from "./model.ts";

/** A call that a twin refused. */
export interface TwinRefusal {
  /** The command. */
  readonly command: string;
  /** The VkResult. */
  readonly result: number;
  /** The C name of the result. */
  readonly name: string;
  /** The facts for which the call was refused: extensions, features, limits, formats. */
  readonly facts: readonly string[];
  /** The sentence that was told, with the origin of the fact. */
  readonly text: string;
}

/** The extension that tells how much of a heap is used, which the twin knows itself. */
const BUDGET = "VK_EXT_memory_budget";

/** A device that programs see instead of the driver's. */
export class Twin {
  /** The facts of the source. */
  readonly model: DeviceModel;
  /** The structs and commands that the device has. */
  readonly offer: Offer;
  /** The facts that hooks put in the place of the driver's. */
  answers: Settings;
  /** The treatment of what the driver cannot do. */
  strictness: TwinStrictness;
  /** The device of the drivers that stands for the twin: its index or a part of its name; `undefined` for the first. */
  readonly below: number | string | undefined;
  /** The limits of the source. */
  readonly limits: StructObject;
  /** Extensions that need nothing of the driver, because the twin does all that they add. */
  readonly emulated: readonly string[];
  /** The refused calls, in order. */
  readonly refused: TwinRefusal[] = [];
  /** The facts that programs read and that are lower than the driver's, by name, in the order of reading. */
  readonly lowered: Set<string> = new Set();
  /** The packed version of the instance below, as far as it was asked for. */
  versionBelow: number = VK_MAKE_API_VERSION(0, 1, 3, 0);
  /** The ending of the queries with chains that the last instance has; `undefined` if it has none. */
  suffix: "" | "KHR" | undefined = "";
  readonly #below: (handle: bigint) => RawCommands;
  readonly #log: (message: string) => void;
  readonly #told = new Set<string>();
  readonly #gpus = new Map<bigint, PhysicalDevice>();
  readonly #devices = new Map<bigint, DeviceAccount>();

  /** `commands` returns the commands below the twin's layer. */
  constructor(
    model: DeviceModel,
    { strictness, below, commands, log }: Pick<Twin, "strictness" | "below"> & {
      commands(handle: bigint): RawCommands;
      log(message: string): void;
    },
  ) {
    this.model = model;
    this.strictness = strictness;
    this.limits = limitsOf(model);
    this.emulated = strictness !== "common" && model.memory && model.extensions.has(BUDGET) ? [BUDGET] : [];
    this.offer = new Offer(model);
    this.answers = answersOf(model, this.offer, strictness);
    this.below = below;
    this.#below = commands;
    this.#log = log;
  }

  /** Applies settings of a program. Throws a `TypeError` for those that only the making of the layer can set. */
  set({ strictness, ...others }: { readonly strictness?: unknown; readonly [option: string]: unknown }): void {
    const [other] = Object.keys(others), isKnown = STRICTNESSES.some((each) => each === strictness);
    if (other !== undefined) throw new TypeError(`Cannot set ${other} of a twin that exists: make another twin`);
    if (!isKnown) throw new TypeError(`Cannot set the strictness ${strictness}: give ${STRICTNESSES.join(", ")}`);
    this.strictness = strictness as TwinStrictness;
    this.answers = answersOf(this.model, this.offer, this.strictness);
    this.forget();
  }

  /** Returns what is known of a physical device, queried once. */
  gpu(handle: bigint): PhysicalDevice {
    let found = this.#gpus.get(handle);
    if (!found) {
      this.#gpus.set(
        handle,
        found = new PhysicalDevice(this, new FactsBelow(handle, this.#below(handle), this.suffix)),
      );
    }
    return found;
  }

  /** The account of a device; `undefined` for a device that is older than the layer. */
  account(device: bigint): DeviceAccount | undefined {
    return this.#devices.get(device);
  }

  /** Begins the account of a new device. */
  opened(device: bigint, gpu: bigint): void {
    this.#devices.set(device, new DeviceAccount(this.gpu(gpu).memory, gpu));
  }

  /** Ends the account of a device. */
  closed(device: bigint): void {
    this.#devices.delete(device);
  }

  /** Forgets the physical devices of an instance. Other instances ask again. */
  forget(): void {
    this.#gpus.clear();
  }

  /** The bytes that all devices of a physical device have from a heap. */
  usedOf(gpu: bigint, heap: number): bigint {
    const accounts = [...this.#devices.values()].filter((each) => each.gpu === gpu);
    return accounts.reduce((sum, { used }) => sum + (used[heap] ?? 0n), 0n);
  }

  /** Notes a refused call, tells each kind once, and returns the result. */
  refuse(command: string, result: number, facts: readonly string[], sentence: string): number {
    const name = resultName(result), text = `${command} returns ${name}: ${sentence} (${this.model.origin})`;
    this.refused.push({ command, result, name, facts, text });
    this.tell(text);
    return result;
  }

  /** Tells a sentence once. */
  tell(text: string): void {
    if (!this.#told.has(text)) this.#log(text);
    this.#told.add(text);
  }

  /** A struct of properties that the device answers; `{}` if nothing is known of the struct. */
  properties(struct: string): StructObject {
    return this.offer.ignores(struct) ? {} : this.offer.structs.get(struct) ?? {};
  }
}

/** A physical device below a twin. */
class PhysicalDevice {
  /** The driver's answers. */
  readonly driver: FactsBelow;
  /** The memory that the twin tells of; `undefined` for the driver's. */
  readonly memory: MemoryMap | undefined;
  /** The queue families that the twin tells of. */
  readonly families: readonly StructObject[];
  readonly #twin: Twin;
  #missing: readonly string[] | undefined;

  constructor(twin: Twin, driver: FactsBelow) {
    this.#twin = twin;
    this.driver = driver;
    this.memory = memoryOf(twin, driver.memory);
    this.families = familiesOf(twin, driver.queueFamilies);
  }

  /** Clauses about facts of the twin that the driver cannot keep. */
  get missing(): readonly string[] {
    return this.#missing ??= missingBelow(this.#twin, this.driver, this.memory);
  }
}

/** In a twin of what is common, types are the driver's, and no heap is larger than the largest of the source. */
function memoryOf({ model, strictness }: Twin, driver: StructObject): MemoryMap | undefined {
  if (!model.memory) return undefined;
  if (strictness !== "common") return new MemoryMap(model.memory, driver);
  const largest = heapsOf(model.memory).reduce((most, { size }) => size > most ? size : most, 0n);
  const memoryHeaps = heapsOf(driver).map((heap) => ({ ...heap, size: heap.size < largest ? heap.size : largest }));
  return new MemoryMap({ ...driver, memoryHeaps }, driver);
}

/** A family of which nothing is known. */
const NO_FAMILY: StructObject = {
  queueFlags: 0,
  queueCount: 0,
  timestampValidBits: 0,
  minImageTransferGranularity: { width: 1, height: 1, depth: 1 },
};

/** Members of a family that the source does not tell are the driver's. */
function familiesOf({ model, strictness }: Twin, driver: readonly StructObject[]): readonly StructObject[] {
  const { queueFamilies } = model;
  if (!queueFamilies) return driver;
  if (strictness !== "common") {
    return queueFamilies.map((family, index) => ({ ...NO_FAMILY, ...driver[index], ...family }));
  }
  return queueFamilies.slice(0, driver.length).map((family, index) => ({
    ...driver[index],
    queueFlags: Number(family.queueFlags ?? driver[index].queueFlags) & Number(driver[index].queueFlags),
    queueCount: Math.min(Number(family.queueCount ?? driver[index].queueCount), Number(driver[index].queueCount)),
  }));
}
