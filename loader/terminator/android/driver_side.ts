import { createLookup, type Lookup } from "../../../ffi/functions/lookup.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import type { NativeFunction } from "../../../ffi/stubs.ts";
import { createThunk, type Thunk, type ThunkOptions } from "../../../ffi/thunk/thunk.ts";
import { commandSignature } from "../../command/registry/kind.ts";
import { findCommand } from "../../command/registry/table.ts";
import type { Driver } from "../../driver/interface/driver.ts";
import { driverProc } from "../../driver/interface/probe.ts";
import { readExtensionList } from "../../driver/interface/extension_list.ts";
import type { LayerExtension } from "../../layer.ts";
import { driverVersion } from "./versions.ts";

/** The arguments of a command in raw form. */
export type RawArguments = readonly (number | bigint)[];

/** The driver below, with what was learnt of it and what was made to stand before it. */
export class DriverSide {
  /** The driver. */
  readonly driver: Driver;
  readonly #thunks = new Map<string, Thunk>();
  readonly #lookups = new Map<string, Lookup>();
  #version: number | undefined;
  #extensions: LayerExtension[] | undefined;

  /** Takes over a driver. */
  constructor(driver: Driver) {
    this.driver = driver;
  }

  /** Its version without the patch; a negative VkResult if asking failed. */
  version(): number {
    if (this.#version === undefined || this.#version < 0) this.#version = driverVersion(this.driver);
    return this.#version;
  }

  /** The instance extensions it lists; a negative VkResult if asking failed. */
  extensions(): LayerExtension[] | number {
    if (this.#extensions) return this.#extensions;
    const enumerate = this.proc(0n, "vkEnumerateInstanceExtensionProperties");
    const list = readExtensionList((count, out) => invokeAddress(enumerate, "s:qqq", [0n, count, out]) as number);
    return typeof list === "number" ? list : this.#extensions = list;
  }

  /** Its address of a command; 0n when it has none. */
  proc(instance: bigint, name: string): bigint {
    return driverProc(this.driver, instance, name);
  }

  /** Calls one of its commands, which it must have. */
  call(instance: bigint, name: string, values: RawArguments): number | bigint | undefined {
    return invokeAddress(this.proc(instance, name), commandSignature(findCommand(name)!, "raw"), values);
  }

  /** The address of a function in TypeScript that stands before a command of the driver, made at the first call. */
  thunk(name: string, handler: NativeFunction, options?: ThunkOptions): bigint {
    let thunk = this.#thunks.get(name);
    if (!thunk) {
      thunk = createThunk(commandSignature(findCommand(name)!, "raw"), handler, options);
      this.#thunks.set(name, thunk);
    }
    return thunk.address;
  }

  /** The GetProcAddr with these answers; equal ones are the same function. */
  lookup(own: string, answers: readonly (readonly [string, bigint])[], miss: bigint): bigint {
    const key = `${own} ${miss} ${answers.map(([name, address]) => `${name}=${address}`).join()}`;
    let lookup = this.#lookups.get(key);
    if (!lookup) {
      lookup = createLookup(answers, miss);
      lookup.set(own, lookup.address);
      this.#lookups.set(key, lookup);
    }
    return lookup.address;
  }

  /** Closes the driver, and frees what stood before it. No instance may be left. */
  close(): void {
    this.driver.close();
    for (const lookup of this.#lookups.values()) lookup.free();
    for (const thunk of this.#thunks.values()) thunk.free();
  }
}
