import { createLookup, type Lookup } from "../../ffi/lookup.ts";
import { invoke, peek64 } from "../../ffi/machine.ts";
import { createThunk, type Thunk } from "../../ffi/thunk.ts";
import type { Driver } from "../driver/driver.ts";
import { deviceProcAddr, driverProc, instanceProcAddr } from "../driver/probe.ts";
import { bottomProcAddr } from "./bottom.ts";
import type { DispatchTable } from "./dispatch_table.ts";
import { createDriverInstance } from "./driver_instance.ts";
import { adoptOrDestroy, bindDriver, destroyDevice, deviceTable, fillHidden } from "./adopt.ts";
import { stampsOf } from "./stamps.ts";

/**
 * What stands between the lowest native layer and the driver: the
 * GetInstanceProcAddr that layer is given, and behind it the creation commands,
 * which store our dispatch keys before they return into the layer. Handing the
 * layer the driver's own would leave it with one key for everything.
 */
export class DriverTerminators implements Disposable {
  readonly #driver: Driver;
  readonly #instanceTable: DispatchTable;
  readonly #thunks: Thunk[] = [];
  readonly #lookup: Lookup;
  /** Tables of devices made through the chain and not yet claimed by their creator. */
  readonly #made = new Map<bigint, DispatchTable>();
  #instance = 0n;

  /** Terminators for one instance, whose dispatch table exists already and is still empty. */
  constructor(driver: Driver, instanceTable: DispatchTable) {
    this.#driver = driver;
    this.#instanceTable = instanceTable;
    const createInstance = this.#thunk("s:qqq", (info, allocator, out) => this.#createInstance(info, allocator, out));
    const createDevice = this.#thunk(
      "s:qqqq",
      (gpu, info, allocator, out) => this.#createDevice(gpu, info, allocator, out),
    );
    const stamped = stampsOf("instance").map(({ name, address }): [string, bigint] => [name, address]);
    const names = [["vkCreateInstance", createInstance], ["vkCreateDevice", createDevice], ...stamped] as [
      string,
      bigint,
    ][];
    this.#lookup = createLookup([...driver.given, ...names], driver.getInstanceProcAddr);
    this.#lookup.set("vkGetInstanceProcAddr", this.#lookup.address);
  }

  /** Address of the GetInstanceProcAddr for the lowest layer. */
  get getInstanceProcAddr(): bigint {
    return this.#lookup.address;
  }

  /** The driver's own vkGetDeviceProcAddr; device commands no one hooks then never touch the loader. */
  get getDeviceProcAddr(): bigint {
    const own = driverProc(this.#driver, this.#instance, "vkGetDeviceProcAddr");
    return this.#driver.deviceProcAddr ? bottomProcAddr() ?? own : own;
  }

  /** The table of a device just made through the chain; the caller owns it from here on. */
  claim(device: bigint): DispatchTable | undefined {
    const table = this.#made.get(device);
    this.#made.delete(device);
    return table;
  }

  /** Frees the machine code and its data. No layer may call any more. */
  close(): void {
    this.#lookup.free();
    for (const thunk of this.#thunks) thunk.free();
    for (const table of this.#made.values()) table.close();
    this.#made.clear();
  }

  /** Frees everything at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #thunk(signature: string, handler: (...args: bigint[]) => number): bigint {
    const thunk = createThunk(signature, handler as (...args: unknown[]) => unknown);
    this.#thunks.push(thunk);
    return thunk.address;
  }

  #createInstance(info: bigint, allocator: bigint, out: bigint): number {
    const result = createDriverInstance(this.#driver, info, allocator, out);
    if (result < 0) return result;
    this.#instance = peek64(out);
    adoptOrDestroy(this.#driver, this.#instance, this.#instanceTable, () => {
      invoke(driverProc(this.#driver, this.#instance, "vkDestroyInstance"), "v:qq", [this.#instance, allocator]);
    });
    this.#lookup.setMiss(instanceProcAddr(this.#driver, this.#instance));
    fillHidden("instance", this.#instanceTable, (name) => driverProc(this.#driver, this.#instance, name));
    return result;
  }

  #createDevice(gpu: bigint, info: bigint, allocator: bigint, out: bigint): number {
    const create = driverProc(this.#driver, this.#instance, "vkCreateDevice");
    const result = invoke(create, "s:qqqq", [gpu, info, allocator, out]) as number;
    if (result < 0) return result;
    const device = peek64(out), table = deviceTable();
    adoptOrDestroy(this.#driver, device, table, () => {
      table.close();
      destroyDevice(deviceProcAddr(this.#driver, this.#instance, device), device, allocator);
    });
    bindDriver(table, this.#driver, this.#instance, device);
    this.#made.set(device, table);
    return result;
  }
}
