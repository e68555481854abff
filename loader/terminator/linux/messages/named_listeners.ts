import { NativeBlock } from "../../../../ffi/block.ts";
import { createLookup, type Lookup } from "../../../../ffi/functions/lookup.ts";
import { findExtension } from "../../../command/registry/extension.ts";
import { findCommand } from "../../../command/registry/table.ts";
import { enabledExtensions } from "../../../driver/structs/create_info.ts";
import { instanceProcAddr } from "../../../driver/interface/probe.ts";
import type { LayerExtension } from "../../../layer.ts";
import { joinedCode, type Thunks } from "../code.ts";
import { DEBUG_UTILS } from "../procs/device_procs.ts";
import { debugging } from "../instances/joined_commands.ts";
import { type Member, MemberTable, memberTableSize, offers } from "../members/member.ts";
import { Messengers } from "./messengers.ts";
import type { Level } from "../../../driver/report/log.ts";

const REPORT = "VK_EXT_debug_report", UTILS = "VK_EXT_debug_utils";
const LISTENING = [REPORT, UTILS];
/**
 * The extensions that the loader adds to any driver's instance extensions: an
 * application may always listen, and ask for portability drivers.
 */
export const OWN_EXTENSIONS: readonly LayerExtension[] = [
  { extensionName: REPORT, specVersion: 10 },
  { extensionName: UTILS, specVersion: 2 },
  { extensionName: "VK_KHR_portability_enumeration", specVersion: 1 },
];

/** The listeners of one instance, and the driver's commands for them. */
interface Listened {
  readonly messengers: Messengers;
  /** Memory that holds the driver's own commands. */
  readonly memory: NativeBlock;
}

/**
 * The listeners of the instances of a named driver: messengers and callbacks.
 * The driver knows them if it has the extension. The loader knows them as well:
 * it sends its own messages and those that the application submits. Names and
 * labels are dropped if the driver does not take them.
 */
export class NamedListeners {
  readonly #member: Member;
  readonly #thunks: Thunks;
  readonly #listened = new Map<bigint, Listened>();
  readonly #lookups = new Map<string, Lookup>();
  #commands: Readonly<Record<string, bigint>> | undefined;
  #nothing: readonly [string, bigint][] | undefined;

  /** Starts without listeners. */
  constructor(member: Member, thunks: Thunks) {
    this.#member = member;
    this.#thunks = thunks;
  }

  /** Returns the listeners during the creation of an instance, if others may come later. */
  of(info: bigint): Messengers | undefined {
    const enabled = enabledExtensions(info) ?? [];
    return LISTENING.some((name) => enabled.includes(name)) ? new Messengers(info) : undefined;
  }

  /** Notes a new instance. Without messengers nobody can listen to it later. */
  begin(instance: bigint, messengers: Messengers | undefined): void {
    this.end(instance); // another thread may have destroyed an instance with the same handle
    if (!messengers) return;
    const memory = new NativeBlock(memberTableSize());
    const table = new MemberTable(memory.address, memory.view, instance, 0), { driver } = this.#member;
    table.fill(instanceProcAddr(driver, instance));
    for (const name of LISTENING.filter((each) => !offers(this.#member, each)).flatMap(instanceCommandsOf)) {
      table.set(name, 0n); // a driver may return addresses for extensions that it does not list
    }
    messengers.begin(instance, [{ member: this.#member, index: 0, table, getDeviceProcAddr: 0n }]);
    this.#listened.set(instance, { messengers, memory });
  }

  /** Notes that an instance is gone. */
  end(instance: bigint): void {
    this.#listened.get(instance)?.memory.close();
    this.#listened.delete(instance);
  }

  /** Sends one of the loader's own messages to everyone. */
  tell(level: Level, text: string): void {
    for (const { messengers } of this.#listened.values()) messengers.tell(level, text);
  }

  /** Sends one of the loader's own messages to the listeners of one instance. */
  tellOf(instance: bigint, level: Level, text: string): void {
    this.#listened.get(instance)?.messengers.tell(level, text);
  }

  /** Returns the loader's commands for an instance, by name. */
  commands(instance: bigint): [string, bigint][] {
    return this.#listened.has(instance)
      ? [...Object.entries(this.#commands ??= this.#makeCommands()), ...this.#onDevices()]
      : [];
  }

  /** Whether devices lack commands that can do nothing. */
  get #completesDevices(): boolean {
    return !offers(this.#member, UTILS);
  }

  /** Returns the vkGetDeviceProcAddr of devices with these commands, too, in front of the driver's own. */
  deviceProcAddr(own: bigint, more: readonly [string, bigint][]): bigint {
    const entries = [...this.#onDevices(), ...more], key = `${own} ${more.join()}`;
    if (entries.length === 0) return own;
    let lookup = this.#lookups.get(key);
    if (!lookup) {
      this.#lookups.set(key, lookup = createLookup(entries, own));
      lookup.set("vkGetDeviceProcAddr", lookup.address);
    }
    return lookup.address;
  }

  /** Frees everything. All instances and devices must be gone. */
  close(): void {
    for (const lookup of this.#lookups.values()) lookup.free();
    this.#lookups.clear();
    for (const instance of [...this.#listened.keys()]) this.end(instance);
  }

  #makeCommands(): Readonly<Record<string, bigint>> {
    const run = debugging((instance) => this.#listened.get(instance)?.messengers);
    const made = Object.entries(run).map(([name, handler]) => [name, this.#thunks.command(name, handler)]);
    return Object.fromEntries(made);
  }

  #onDevices(): readonly [string, bigint][] {
    if (!this.#completesDevices) return [];
    return this.#nothing ??= DEBUG_UTILS.map((name) => [name, this.#nothingFor(name)]);
  }

  #nothingFor(name: string): bigint {
    const nothing = () => this.#thunks.command(name, () => 0, { failure: 0 });
    return joinedCode()?.nothing ?? nothing();
  }
}

/** The instance commands of an extension. */
function instanceCommandsOf(extension: string): string[] {
  return findExtension(extension)!.commands.filter((name) => findCommand(name)!.level === "instance");
}
