import { findExtension } from "../command/registry/extension.ts";
import { type Command, findCommand } from "../command/registry/table.ts";
import { type DriverState, extensionNames } from "./state.ts";

/** Commands that are a loader's alone, and those that the entry points are themselves. */
const ELSEWHERE = ["vkEnumerateInstanceLayerProperties", "vkGetInstanceProcAddr", "vkGetDeviceProcAddr"];

/** Which commands a driver has. */
export class Available {
  readonly #state: DriverState;
  /** What is there whatever the extensions: the core versions' commands and those that the driver's author wrote. */
  readonly #always: ReadonlySet<string>;

  /** Works out what a driver has always. */
  constructor(state: DriverState) {
    this.#state = state;
    const { apiVersion, commands, missing } = state.spec;
    const core = coreCommands(state.apiVersion);
    const version = apiVersion === null ? [] : ["vkEnumerateInstanceVersion"];
    const always = new Set([...core, ...version, ...Object.keys(commands ?? {})]);
    for (const name of [...ELSEWHERE, ...missing ?? []]) always.delete(name);
    this.#always = always;
  }

  /** The commands that are there on every instance and, those of the device level, on every device. */
  get always(): Command[] {
    return [...this.#always].map((name) => findCommand(name)!);
  }

  /** A command as vkGetInstanceProcAddr sees it: an extension's is there when the driver lists it. */
  onInstance(name: string): Command | undefined {
    const { spec, physicalDevices } = this.#state;
    if (this.#always.has(name)) return findCommand(name);
    const lists = [spec.instanceExtensions, ...physicalDevices.map(({ extensions }) => extensions)];
    return this.#brought(name, lists.flatMap((list) => extensionNames(list)));
  }

  /** A command as vkGetDeviceProcAddr sees it: an extension's is there when the device was made with it. */
  onDevice(device: bigint, name: string): Command | undefined {
    const { spec, objects } = this.#state;
    const enabled = objects.get(device)?.extensions ?? [];
    const command = this.#always.has(name)
      ? findCommand(name)
      : this.#brought(name, [...extensionNames(spec.instanceExtensions), ...enabled]);
    return command?.level === "device" ? command : undefined;
  }

  #brought(name: string, extensions: readonly string[]): Command | undefined {
    if (this.#state.spec.missing?.includes(name)) return undefined;
    const brought = extensions.some((each) => findExtension(each)?.commands.includes(name));
    return brought ? findCommand(name) : undefined;
  }
}

/** The commands of the core versions up to a packed API version, oldest first. */
function coreCommands(apiVersion: number): string[] {
  const minor = apiVersion >>> 12 & 0x3ff;
  return Array.from({ length: minor + 1 }, (_, each) => findExtension(`VK_VERSION_1_${each}`)?.commands ?? []).flat();
}
