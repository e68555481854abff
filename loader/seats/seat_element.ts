import { createLookup, type Lookup } from "../../ffi/functions/lookup.ts";
import { invokeAddress, peek64 } from "../../ffi/machine.ts";
import { procOf } from "../../ffi/library/library.ts";
import { createThunk, type Thunk } from "../../ffi/thunk/thunk.ts";
import type { ChainElement } from "../chain/element.ts";
import type { NativeCall } from "../command/compile.ts";
import { type Command, findCommand } from "../command/registry/table.ts";
import { GLOBAL_COMMANDS } from "../install/proc_addr.ts";
import type { Layer } from "../layer.ts";
import type { LayerGroups } from "../layers/hooks/groups.ts";
import { compose } from "../layers/hooks/hooks.ts";
import type { Seat } from "./seat.ts";
import { SeatSide } from "./seat_side.ts";
import { SeatTable } from "./seat_table.ts";
import { type Below, throughLink } from "./through_link.ts";

const CREATE_INSTANCE = "vkCreateInstance";

/** A seat as an element of one instance's chain. For the native layer above, it is a layer like any other. */
export class SeatElement implements ChainElement, Disposable {
  readonly #seat: Seat;
  readonly #groups: LayerGroups;
  readonly #lookup: Lookup;
  readonly #create: Thunk;
  /** The tables of the instance and its devices, and of devices whose creation failed in a layer above. */
  readonly #tables = new Set<bigint>();

  /** `groups` has the current layers, whose callbacks were prepared. */
  constructor(seat: Seat, groups: LayerGroups) {
    const { trampoline, procAddr } = seat.code;
    this.#seat = seat;
    this.#groups = groups;
    this.#create = createThunk("s:qqq", (...args) => this.#createInstance(args as bigint[]));
    const entries: [string, bigint][] = [
      [CREATE_INSTANCE, this.#create.address],
      ["vkCreateDevice", trampoline("vkCreateDevice")],
      ["vkGetDeviceProcAddr", procAddr.ofDevice],
    ];
    this.#lookup = createLookup(entries, procAddr.ofInstance);
    this.#lookup.set("vkGetInstanceProcAddr", this.#lookup.address);
  }

  /** The names of the layers. */
  get name(): string {
    return this.#layers.map(({ name }) => name).join(", ");
  }

  /** See {@linkcode ChainElement}. */
  get getInstanceProcAddr(): bigint {
    return this.#lookup.address;
  }

  /** See {@linkcode ChainElement}. */
  get getDeviceProcAddr(): bigint {
    return this.#seat.code.procAddr.ofDevice;
  }

  /** See {@linkcode ChainElement}. */
  forgetDevice(table: bigint): void {
    this.#tables.delete(table);
    this.#seat.forget(table);
  }

  /** Frees the instance's part. The instance must be gone. */
  close(): void {
    for (const table of this.#tables) this.#seat.forget(table);
    this.#lookup.free();
    this.#create.free();
  }

  /** Frees the instance's part at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  get #layers(): readonly Layer[] {
    return this.#groups.of(this.#seat.index + 1);
  }

  #createInstance([info, allocator, out]: bigint[]): number {
    const last = (info: bigint, allocator: bigint, out: bigint) =>
      throughLink(info, 47, (below) => this.#createBelow(below, info, allocator, out));
    const call = compose(this.#layers, findCommand(CREATE_INSTANCE)!, last);
    return this.#groups.within(call, 3)(info, allocator, out);
  }

  #createBelow({ getInstanceProcAddr }: Below, info: bigint, allocator: bigint, out: bigint): number {
    // Queried with the loader's placeholder for the instance, because old layers return nothing for NULL.
    const create = procOf(getInstanceProcAddr, peek64(out), CREATE_INSTANCE);
    const result = invokeAddress(create, "s:qqq", [info, allocator, out]) as number;
    if (result < 0) return result;
    this.#open("instance", peek64(out), getInstanceProcAddr, (command) => this.#bottom(command));
    for (const name of GLOBAL_COMMANDS) {
      if (name !== CREATE_INSTANCE) this.#lookup.set(name, procOf(getInstanceProcAddr, peek64(out), name));
    }
    return result;
  }

  #bottom(command: Command): NativeCall {
    const bottom = this.#seat.bottom(command);
    return command.name === "vkCreateDevice" ? this.#deviceMaker(bottom) : bottom;
  }

  #deviceMaker(create: NativeCall): NativeCall {
    return (gpu, info, allocator, out) =>
      throughLink(info, 48, ({ getDeviceProcAddr }) => {
        const result = create(gpu, info, allocator, out);
        if (result >= 0) {
          this.#open("device", peek64(out), getDeviceProcAddr, (command) => this.#seat.bottom(command));
        }
        return result;
      });
  }

  #open(
    level: "instance" | "device",
    handle: bigint,
    getProcAddr: bigint,
    bottom: (command: Command) => NativeCall,
  ): void {
    const table = new SeatTable(level, this.#seat.index, peek64(handle));
    table.fill(getProcAddr, handle, this.#seat.code);
    this.#seat.open(new SeatSide(table, this.#groups, this.#seat.index + 1, bottom));
    this.#tables.add(table.address);
  }
}
