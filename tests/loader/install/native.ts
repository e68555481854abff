import { arena } from "../../../ffi/arena.ts";
import { cstring } from "../../../ffi/cstring.ts";
import { Library } from "../../../ffi/library/library.ts";
import { invokeAddress, poke32, poke64 } from "../../../ffi/machine.ts";
import { commandSignature } from "../../../loader/command/plan.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";

/**
 * Vulkan as native code finds it: opened by name, every command called by its
 * address, with C arguments.
 */
export class NativeVulkan implements Disposable {
  readonly #library: Library;

  /** Opens it as programs do. */
  constructor(soname = "libvulkan.so.1") {
    this.#library = Library.open(soname);
  }

  /** Address of an exported command; 0n if it is not exported. */
  find(name: string): bigint {
    return this.#library.find(name);
  }

  /** Calls an exported command, or the one at `address`. */
  call(name: string, args: readonly (number | bigint)[], address: bigint = this.find(name)): number | bigint {
    return invokeAddress(address, commandSignature(findCommand(name)!, "raw"), args) as number | bigint;
  }

  /** vkGetInstanceProcAddr. */
  ofInstance(instance: bigint, name: string): bigint {
    return withText(name, (text) => this.call("vkGetInstanceProcAddr", [instance, text])) as bigint;
  }

  /** vkGetDeviceProcAddr. */
  ofDevice(device: bigint, name: string): bigint {
    return withText(name, (text) => this.call("vkGetDeviceProcAddr", [device, text])) as bigint;
  }

  /** An instance with some layers; throws the result if that fails. */
  createInstance(layers: readonly string[] = []): bigint {
    const info = struct(64, 1), names = layers.map((name) => arena().place(cstring(name)));
    poke32(info + 32n, names.length);
    poke64(info + 40n, arena().place(new Uint8Array(BigUint64Array.from(names).buffer)));
    return output((out) => this.call("vkCreateInstance", [info, 0n, out]));
  }

  /** The first physical device. */
  firstGpu(instance: bigint): bigint {
    const memory = arena(), count = memory.alloc(4);
    memory.view.setUint32(count, 1, true);
    return output((out) => this.call("vkEnumeratePhysicalDevices", [instance, memory.address(count), out]));
  }

  /** A device with a queue, or with none, which the specification forbids and some drivers do not survive. */
  createDevice(gpu: bigint, queues: 0 | 1 = 1): bigint {
    const info = struct(72, 3), queue = struct(40, 2);
    poke32(info + 20n, queues);
    poke64(info + 24n, queue);
    poke32(queue + 24n, queues);
    poke64(queue + 32n, struct(4, 0)); // its priority, 0
    return output((out) => this.call("vkCreateDevice", [gpu, info, 0n, out]));
  }

  /** Lets go of the library. */
  close(): void {
    this.#library.close();
  }

  /** Lets go of the library at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}

function withText<T>(text: string, use: (address: bigint) => T): T {
  const memory = arena(), mark = memory.mark();
  try {
    return use(memory.place(cstring(text)));
  } finally {
    memory.release(mark);
  }
}

/** An otherwise empty struct in memory that nobody frees before the test ends. */
function struct(size: number, sType: number): bigint {
  const memory = arena(), at = memory.alloc(size);
  memory.bytes.fill(0, at, at + size);
  memory.view.setUint32(at, sType, true);
  return memory.address(at);
}

function output(call: (out: bigint) => number | bigint): bigint {
  const memory = arena(), out = memory.alloc(8);
  const result = call(memory.address(out));
  if (result !== 0) throw new RangeError(`native call failed: ${result}`);
  return memory.view.getBigUint64(out, true);
}
