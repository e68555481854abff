import {
  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
  VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT,
  VK_MEMORY_PROPERTY_PROTECTED_BIT,
  VK_WHOLE_SIZE,
} from "../../../loader/gen/native_gen.ts";
import { inFrame } from "../../../ffi/arena.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { copyMemory, invokeAddress } from "../../../ffi/machine.ts";
import { nameOfSType } from "../../../loader/codec/layout/layout.ts";
import type {
  VkBuffer,
  VkDevice,
  VkDeviceMemory,
  VkImage,
  VkMemoryAllocateInfoNext,
  VkPhysicalDevice,
} from "../../../loader/gen/types_core_gen.ts";
import { bytesAt } from "../../../ffi/arena.ts";

/** Memory properties that can be missing, the most valuable last. */
const DISPENSABLE = [
  VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT,
  VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
];
/** Properties of memory that no transfer may be able to write. */
const UNWRITABLE = VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT;
/** A buffer takes a multiple of its alignment in memory, which this is a multiple of. */
const WHOLE_BLOCK = 256;
/** Memory properties that memory without a mapping should not have. */
const FOR_HOSTS = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
  VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

/** The memory types of the replaying device, and those of the recording. */
export interface MemoryTypes {
  /** The properties of each type of the device. */
  readonly here: readonly number[];
  /** The properties of each type of the recording. */
  readonly recorded: readonly number[];
}

/** Fills memory of a size and a type with zeros. */
export type Zeroing = (memory: VkDeviceMemory, size: number, type: number) => void;

/** Memory of the replaying device, zeroed at first. It stays mapped if the host can see it. */
interface Block {
  readonly handle: VkDeviceMemory;
  readonly size: number;
  readonly type: number;
  /** Address of the mapping; 0n if the host cannot see the memory. */
  readonly address: bigint;
}

/** A part of recorded memory that is elsewhere, because the device requires another place. */
interface Exile {
  readonly start: number;
  readonly block: Block;
}

/** A VkMemoryAllocateInfo. */
export interface AllocateInfo {
  readonly allocationSize: bigint;
  readonly memoryTypeIndex: number;
  /** Codecs write what is given, whatever struct it is. */
  readonly pNext?: readonly VkMemoryAllocateInfoNext[];
}

/** The memory requirements of a buffer or image. */
export interface Requirements {
  readonly size: bigint;
  readonly alignment: bigint;
  readonly memoryTypeBits: number;
}

/**
 * One recorded allocation. Bound objects keep their place if the device allows
 * it. If not, they get memory of their own, and data written to their range is
 * written there as well.
 */
export class ReplayedMemory {
  readonly #device: VkDevice;
  readonly #types: MemoryTypes;
  readonly #zero: Zeroing;
  /** The value of new bytes that hosts see. */
  readonly #fill: number;
  readonly #wanted: number;
  /** The allocation's flags, such as that its buffers have addresses. */
  readonly #flags: AllocateInfo["pNext"];
  readonly #main: Block;
  #exiles: Exile[] = [];
  /** The places of buffers and images, by name. */
  readonly #bindings = new Map<string, { readonly block: Block; readonly at: number }>();

  /** Allocates memory. `needed` is the requirement of a dedicated allocation, which gives its size. */
  constructor(
    { device, types, zero }: { device: VkDevice; types: MemoryTypes; zero: Zeroing },
    info: AllocateInfo,
    isMapped: boolean,
    needed?: Requirements,
    fill = 0,
  ) {
    const flags = types.recorded[info.memoryTypeIndex];
    if (flags === undefined) {
      throw new TypeError(`no vkGetPhysicalDeviceMemoryProperties says what memory type ${info.memoryTypeIndex} is`);
    }
    this.#device = device;
    this.#types = types;
    this.#zero = zero;
    this.#fill = fill;
    this.#flags = info.pNext?.filter(isFlags);
    this.#wanted = isMapped ? flags | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT : flags & ~FOR_HOSTS;
    const size = needed?.size ?? info.allocationSize;
    this.#main = this.#allocate({ ...info, allocationSize: size }, needed?.memoryTypeBits ?? 0xffff_ffff);
  }

  /** The handle for the recorded allocation. */
  get handle(): VkDeviceMemory {
    return this.#main.handle;
  }

  /** Returns where to bind a buffer or image that the recording has at an offset. */
  place(name: string, offset: number, needs: Requirements): { memory: VkDeviceMemory; memoryOffset: bigint } {
    const { size, type, handle } = this.#main, end = BigInt(offset) + needs.size;
    const fits = BigInt(offset) % needs.alignment === 0n && end <= BigInt(size) && (needs.memoryTypeBits >>> type & 1);
    this.#bindings.set(name, { block: this.#main, at: offset });
    if (fits) return { memory: handle, memoryOffset: BigInt(offset) };
    const block = this.#allocate({ allocationSize: needs.size, pNext: this.#flags }, needs.memoryTypeBits);
    this.#exiles.push({ start: offset, block });
    this.#bindings.set(name, { block, at: 0 });
    const known = Math.min(block.size, size - offset);
    if (this.#main.address !== 0n && block.address !== 0n && known > 0) {
      copyMemory(block.address, this.#main.address + BigInt(offset), known);
    }
    return { memory: block.handle, memoryOffset: 0n };
  }

  /** Writes data of the program. */
  write(offset: number, bytes: Uint8Array): void {
    if (offset + bytes.length > this.#main.size) {
      throw new TypeError(`${bytes.length} bytes at ${offset} do not fit into ${this.#main.size}`);
    }
    this.#put(this.#main, offset, bytes);
    for (const { start, block } of this.#exiles) {
      const from = Math.max(offset, start), end = Math.min(offset + bytes.length, start + block.size);
      if (from < end) this.#put(block, from - start, bytes.subarray(from - offset, end - offset));
    }
  }

  /** Returns the contents of a buffer or image from an offset on; `undefined` if the host cannot see them. */
  read(name: string, offset: number, size: number): Uint8Array<ArrayBuffer> | undefined {
    const home = this.#bindings.get(name)!, { block } = home, at = home.at + offset;
    if (block.address === 0n || at + size > block.size) return undefined;
    if (!this.#isCoherent(block)) this.#device.vkInvalidateMappedMemoryRanges([rangeOf(block, at, size)]);
    return bytesAt(block.address + BigInt(at), size);
  }

  /**
   * Keeps a copy of all bytes, which is a block that the caller closes. Returns the function that brings them back;
   * `undefined` if the host cannot see them.
   */
  keepIn(owned: DisposableStack): (() => void) | undefined {
    const blocks = [this.#main, ...this.#exiles.map(({ block }) => block)];
    if (!blocks.every((block) => block.address !== 0n && this.#isCoherent(block))) return undefined;
    const copies = blocks.map(({ address, size }) => {
      const copy = owned.use(new NativeBlock(size));
      copyMemory(copy.address, address, size);
      return { copy, address, size };
    });
    return () => copies.forEach(({ copy, address, size }) => copyMemory(address, copy.address, size));
  }

  /** Whether a buffer or image is here. */
  has(name: string): boolean {
    return this.#bindings.has(name);
  }

  /** Forgets a buffer or image that was destroyed, and frees its memory if nothing else is there. */
  leave(name: string): void {
    const block = this.#bindings.get(name)?.block;
    if (!block || !this.#bindings.delete(name) || block === this.#main) return;
    this.#exiles = this.#exiles.filter((exile) => exile.block !== block);
    this.#device.vkFreeMemory(block.handle);
  }

  /** Frees all memory. */
  free(): void {
    for (const { handle } of [this.#main, ...this.#exiles.map(({ block }) => block)]) this.#device.vkFreeMemory(handle);
  }

  #allocate(info: Partial<AllocateInfo>, bits: number): Block {
    const type = chooseType(this.#types.here, this.#wanted, bits), flags = this.#types.here[type];
    if ((flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) === 0) return this.#allocateUnseen(info, type);
    return this.#make({ ...info, memoryTypeIndex: type }, (handle) => {
      const size = Number(info.allocationSize), address = this.#device.vkMapMemory(handle, 0n, VK_WHOLE_SIZE);
      const block = { handle, size, type, address };
      invokeAddress(libcAddress("memset"), "q:qsq", [address, this.#fill, BigInt(size)]); // void *memset(void *, int, size_t)
      this.#flush(block);
      return block;
    });
  }

  /** Allocates memory and makes it ready; memory that cannot be made ready is freed. */
  #make(info: Parameters<VkDevice["vkAllocateMemory"]>[0], ready: (handle: VkDeviceMemory) => Block): Block {
    const handle = this.#device.vkAllocateMemory(info);
    try {
      return ready(handle);
    } catch (error) {
      this.#device.vkFreeMemory(handle);
      throw error;
    }
  }

  /** Allocates memory that the host cannot see. A chain may say that the memory is for one object alone, or that others have it. */
  #allocateUnseen(info: Partial<AllocateInfo>, type: number): Block {
    const { pNext = [] } = info, hasAddress = pNext.some(isAddress);
    const isPlain = pNext.every((link) => isFlags(link) || isAddress(link)) &&
      (this.#types.here[type] & UNWRITABLE) === 0;
    const unit = isPlain && !hasAddress ? WHOLE_BLOCK : 1; // memory gets its address again only with its size
    const size = Math.ceil(Number(info.allocationSize) / unit) * unit;
    return this.#make({ ...info, allocationSize: BigInt(size), memoryTypeIndex: type }, (handle) => {
      if (isPlain && size >= WHOLE_BLOCK) this.#zero(handle, Math.floor(size / WHOLE_BLOCK) * WHOLE_BLOCK, type);
      return { handle, size: Number(info.allocationSize), type, address: 0n };
    });
  }

  #put(block: Block, offset: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (block.address === 0n) throw new TypeError("the program wrote into memory that this device's host cannot see");
    // A flush writes whole atoms, and their other bytes may be the device's.
    const range = rangeOf(block, offset, bytes.length), isCoherent = this.#isCoherent(block);
    if (!isCoherent) this.#device.vkInvalidateMappedMemoryRanges([range]);
    inFrame((memory) => copyMemory(block.address + BigInt(offset), memory.place(bytes), bytes.length));
    if (!isCoherent) this.#device.vkFlushMappedMemoryRanges([range]);
  }

  #flush(block: Block): void {
    if (!this.#isCoherent(block)) this.#device.vkFlushMappedMemoryRanges([rangeOf(block)]);
  }

  #isCoherent({ type }: Block): boolean {
    return (this.#types.here[type] & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) !== 0;
  }
}

function isFlags({ sType }: VkMemoryAllocateInfoNext): boolean {
  return nameOfSType(sType) === "VkMemoryAllocateFlagsInfo";
}

function isAddress({ sType }: VkMemoryAllocateInfoNext): boolean {
  return nameOfSType(sType) === "VkMemoryOpaqueCaptureAddressAllocateInfo";
}

/** The greatest VkPhysicalDeviceLimits.nonCoherentAtomSize that there is. */
const ATOM = 256;

/** Returns a range of whole atoms, for flushes and invalidations; all of the memory without an offset. */
function rangeOf({ handle: memory, size: all }: Block, offset = 0, size = all) {
  const start = Math.floor(offset / ATOM) * ATOM, end = Math.ceil((offset + size) / ATOM) * ATOM;
  return { memory, offset: BigInt(start), size: end >= all ? VK_WHOLE_SIZE : BigInt(end - start) };
}

/** Returns the properties of each memory type of a device. */
export function propertiesOfTypes(gpu: VkPhysicalDevice): number[] {
  return gpu.vkGetPhysicalDeviceMemoryProperties().memoryTypes.map(({ propertyFlags }) => propertyFlags);
}

/** Returns the first type with all wanted properties, or with as many as possible. */
function chooseType(types: readonly number[], wanted: number, bits: number): number {
  for (const without of [0, ...DISPENSABLE]) {
    wanted &= ~without;
    const found = types.findIndex((flags, index) => (bits >>> index & 1) === 1 && (flags & wanted) === wanted);
    if (found >= 0) return found;
  }
  throw new TypeError(`this device has no memory type with properties 0x${wanted.toString(16)} for it`);
}

/** Returns the memory requirements of a buffer or image on a device. */
export function requirementsOf(device: VkDevice, type: string, handle: bigint): Requirements {
  return type === "VkBuffer"
    ? device.vkGetBufferMemoryRequirements(handle as VkBuffer)
    : device.vkGetImageMemoryRequirements(handle as VkImage);
}
