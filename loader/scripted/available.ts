import { findExtension } from "../command/registry/extension.ts";
import { type Command, findCommand } from "../command/registry/table.ts";
import { type DriverState, extensionNames } from "./state.ts";

/** Commands that only a loader has, and those that are entry points themselves. */
const ELSEWHERE = ["vkEnumerateInstanceLayerProperties", "vkGetInstanceProcAddr", "vkGetDeviceProcAddr"];

/** The commands of a driver. */
export class Available {
  readonly #state: DriverState;
  /**
   * The commands that do not depend on extensions: those of the core versions
   * and those that the driver's author wrote.
   */
  readonly #always: ReadonlySet<string>;

  /** Computes the commands that do not depend on extensions. */
  constructor(state: DriverState) {
    this.#state = state;
    const { apiVersion, commands, missing } = state.spec;
    const core = coreCommands(state.apiVersion);
    const version = apiVersion === null ? [] : ["vkEnumerateInstanceVersion"];
    const always = new Set([...core, ...version, ...Object.keys(commands ?? {})]);
    for (const name of [...ELSEWHERE, ...missing ?? []]) always.delete(name);
    this.#always = always;
  }

  /** The commands that exist on every instance and, for the device level, on every device. */
  get always(): Command[] {
    return [...this.#always].map((name) => findCommand(name)!);
  }

  /**
   * Returns a command as vkGetInstanceProcAddr sees it. An extension's command
   * exists if the driver lists the extension.
   */
  onInstance(name: string): Command | undefined {
    const { spec, physicalDevices } = this.#state;
    if (this.#always.has(name)) return findCommand(name);
    const lists = [spec.instanceExtensions, ...physicalDevices.map(({ extensions }) => extensions)];
    return this.#brought(name, lists.flatMap((list) => extensionNames(list)));
  }

  /**
   * Returns a command as vkGetDeviceProcAddr sees it. An extension's command
   * exists if the device enabled the extension.
   */
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

/** Returns the commands of the core versions up to a packed API version, oldest first. */
function coreCommands(apiVersion: number): string[] {
  const minor = apiVersion >>> 12 & 0x3ff;
  return Array.from({ length: minor + 1 }, (_, each) => findExtension(`VK_VERSION_1_${each}`)?.commands ?? []).flat();
}
