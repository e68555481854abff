import { NativeBlock } from "../../../../ffi/block.ts";
import { createLookup, type Lookup } from "../../../../ffi/functions/lookup.ts";
import { findExtension } from "../../../command/registry/extension.ts";
import { findCommand } from "../../../command/registry/table.ts";
import { enabledExtensions } from "../../../driver/structs/create_info.ts";
import { instanceProcAddr } from "../../../driver/interface/probe.ts";
import type { LayerExtension } from "../../../layer.ts";
import { joinedCode } from "../code.ts";
import { DEBUG_UTILS } from "../procs/device_proc_addr.ts";
import { debugging } from "../instances/joined_commands.ts";
import { type Member, offers } from "../members/member.ts";
import { MemberTable, memberTableSize } from "../members/member_table.ts";
import { Messengers } from "./messengers.ts";
import type { Level } from "../../../driver/report/log.ts";
import type { Thunks } from "../thunks.ts";

const REPORT = "VK_EXT_debug_report", UTILS = "VK_EXT_debug_utils";
const LISTENING = [REPORT, UTILS];
/** What the loader adds to any driver's instance extensions: an application may listen, and ask for portability drivers, anywhere. */
export const OWN_EXTENSIONS: readonly LayerExtension[] = [
  { extensionName: REPORT, specVersion: 10 },
  { extensionName: UTILS, specVersion: 2 },
  { extensionName: "VK_KHR_portability_enumeration", specVersion: 1 },
];

/** Who listens to one instance, and what the driver has for that. */
interface Listened {
  readonly messengers: Messengers;
  /** Holds the driver's own commands. */
  readonly memory: NativeBlock;
}

/**
 * Who listens to the instances of a driver that was named: messengers and
 * callbacks, known to the driver if that has the extension, and to the loader,
 * which has messages of its own and tells them what the application says.
 * Names and labels go nowhere where the driver does not take them.
 */
export class NamedListeners {
  readonly #member: Member;
  readonly #thunks: Thunks;
  readonly #listened = new Map<bigint, Listened>();
  readonly #lookups = new Map<bigint, Lookup>();
  #commands: Readonly<Record<string, bigint>> | undefined;
  #nothing: readonly [string, bigint][] | undefined;

  /** Nobody yet. */
  constructor(member: Member, thunks: Thunks) {
    this.#member = member;
    this.#thunks = thunks;
  }

  /** Those that listen while an instance is made by a VkInstanceCreateInfo, if others may come later. */
  of(info: bigint): Messengers | undefined {
    const enabled = enabledExtensions(info) ?? [];
    return LISTENING.some((name) => enabled.includes(name)) ? new Messengers(info) : undefined;
  }

  /** An instance is there; without messengers nobody can come to listen to it. */
  begin(instance: bigint, messengers: Messengers | undefined): void {
    this.end(instance); // another thread may have destroyed one of the same handle
    if (!messengers) return;
    const memory = new NativeBlock(memberTableSize());
    const table = new MemberTable(memory.address, memory.view, instance, 0), { driver } = this.#member;
    table.fill(instanceProcAddr(driver, instance));
    for (const name of LISTENING.filter((each) => !offers(this.#member, each)).flatMap(instanceCommandsOf)) {
      table.set(name, 0n); // a driver may answer for what it does not list
    }
    messengers.begin(instance, [{ member: this.#member, index: 0, table, getDeviceProcAddr: 0n }]);
    this.#listened.set(instance, { messengers, memory });
  }

  /** An instance is gone. */
  end(instance: bigint): void {
    this.#listened.get(instance)?.memory.close();
    this.#listened.delete(instance);
  }

  /** Tells everyone a message of the loader's own. */
  tell(level: Level, text: string): void {
    for (const { messengers } of this.#listened.values()) messengers.tell(level, text);
  }

  /** Tells those alone who listen to one instance. */
  tellOf(instance: bigint, level: Level, text: string): void {
    this.#listened.get(instance)?.messengers.tell(level, text);
  }

  /** The commands that an instance gets of the loader, by name. */
  commands(instance: bigint): [string, bigint][] {
    return this.#listened.has(instance)
      ? [...Object.entries(this.#commands ??= this.#makeCommands()), ...this.#onDevices()]
      : [];
  }

  /** Whether devices lack commands that do nothing. */
  get completesDevices(): boolean {
    return !offers(this.#member, UTILS);
  }

  /** The vkGetDeviceProcAddr of devices, before the driver's own. */
  deviceProcAddr(own: bigint): bigint {
    let lookup = this.#lookups.get(own);
    if (!lookup) {
      this.#lookups.set(own, lookup = createLookup(this.#onDevices(), own));
      lookup.set("vkGetDeviceProcAddr", lookup.address);
    }
    return lookup.address;
  }

  /** Frees everything. No instance and no device may be left. */
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
    if (!this.completesDevices) return [];
    return this.#nothing ??= DEBUG_UTILS.map((name) => [name, this.#nothingFor(name)]);
  }

  #nothingFor(name: string): bigint {
    const nothing = () => this.#thunks.command(name, () => 0, { failure: 0 });
    return joinedCode()?.nothing ?? nothing();
  }
}

/** The commands on instances that an extension brings. */
function instanceCommandsOf(extension: string): string[] {
  return findExtension(extension)!.commands.filter((name) => findCommand(name)!.level === "instance");
}
