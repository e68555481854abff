import { inFrame } from "../../../ffi/arena.ts";
import { createLookup, type Lookup } from "../../../ffi/functions/lookup.ts";
import { copyFromArena, invokeAddress } from "../../../ffi/machine.ts";
import type { NativeFunction } from "../../../ffi/stubs.ts";
import { createThunk, type Thunk, type ThunkOptions } from "../../../ffi/thunk/thunk.ts";
import { commandSignature } from "../../command/plan.ts";
import { findCommand } from "../../command/registry/table.ts";
import type { Driver } from "../../driver/interface/driver.ts";
import { readExtensionList } from "../../driver/interface/extension_list.ts";
import { driverProc } from "../../driver/interface/probe.ts";
import { sizeOfVkExternalMemoryProperties, VkExternalSemaphoreProperties } from "../../gen/native_gen.ts";
import type { LayerExtension } from "../../layer.ts";
import { driverVersion } from "./versions.ts";

/** The arguments of a command in raw form. */
export type RawArguments = readonly (number | bigint)[];

/** The driver below, with cached answers and the functions that stand in front of it. */
export class DriverSide {
  /** The driver. */
  readonly driver: Driver;
  readonly #thunks = new Map<string, Thunk>();
  readonly #lookups = new Map<string, Lookup>();
  #version: number | undefined;
  #extensions: LayerExtension[] | undefined;

  /** Takes ownership of a driver. */
  constructor(driver: Driver) {
    this.driver = driver;
  }

  /** Returns the driver's version without the patch; a negative VkResult if the query failed. */
  version(): number {
    if (this.#version === undefined || this.#version < 0) this.#version = driverVersion(this.driver);
    return this.#version;
  }

  /** Returns the instance extensions that the driver lists; a negative VkResult if the query failed. */
  extensions(): LayerExtension[] | number {
    if (this.#extensions) return this.#extensions;
    const enumerate = this.proc(0n, "vkEnumerateInstanceExtensionProperties");
    const list = readExtensionList((count, out) => invokeAddress(enumerate, "s:qqq", [0n, count, out]) as number);
    return typeof list === "number" ? list : this.#extensions = list;
  }

  /** Returns the driver's address of a command; 0n if it has none. */
  proc(instance: bigint, name: string): bigint {
    return driverProc(this.driver, instance, name);
  }

  /** Calls a command that the driver must have. */
  call(instance: bigint, name: string, values: RawArguments): number | bigint | undefined {
    return invokeAddress(this.proc(instance, name), commandSignature(findCommand(name)!, "raw"), values);
  }

  /** Returns the address of a function in TypeScript in front of a command of the driver, made at the first call. */
  thunk(name: string, handler: NativeFunction, options?: ThunkOptions): bigint {
    let thunk = this.#thunks.get(name);
    if (!thunk) {
      thunk = createThunk(commandSignature(findCommand(name)!, "raw"), handler, options);
      this.#thunks.set(name, thunk);
    }
    return thunk.address;
  }

  /** Returns the GetProcAddr with these answers. Equal answers share a function. */
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

  /** Closes the driver, and frees the functions in front of it. All instances must be gone. */
  close(): void {
    this.driver.close();
    for (const lookup of this.#lookups.values()) lookup.free();
    for (const thunk of this.#thunks.values()) thunk.free();
  }
}

/** Offset and size of the answers about handle types in every VkExternal…Properties. */
const AT = VkExternalSemaphoreProperties.exportFromImportedHandleTypes, SIZE = sizeOfVkExternalMemoryProperties;

/** Returns a driver's address of a command of Vulkan 1.1, under its core name or its KHR name; 0n if it has neither. */
export function coreOrKhr(side: DriverSide, instance: bigint, name: string): bigint {
  return side.proc(instance, name) || side.proc(instance, `${name}KHR`);
}

/** Writes the answer for a driver that lacks the query: external handles cannot be used. */
export function nothingExternal(_gpu: bigint, _info: bigint, properties: bigint): void {
  inFrame((memory) => {
    const zeros = memory.alloc(SIZE);
    memory.bytes.fill(0, zeros, zeros + SIZE);
    copyFromArena(properties + AT, zeros, SIZE);
  });
}
