import {
  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  VK_SHARING_MODE_EXCLUSIVE,
} from "../../loader/gen/enums_core_gen.js";
import { type Arguments, DEVICE, type Writer } from "./writer.ts";
import { USAGE } from "./bits.ts";

/** The memory types of a program: of the device, and of the host. */
const DEVICE_TYPE = 0, HOST_TYPE = 1;
/** The properties of both. */
export const MEMORY_TYPES: readonly Arguments[] = [
  { propertyFlags: VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, heapIndex: 0 },
  {
    propertyFlags: VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
    heapIndex: 0,
  },
];
/** Bytes of a buffer for data, and what the offset of every texel size divides. */
const ROOM = 0x1_0000, ALIGNMENT = 48;

/** The memory of a program, and the data that the program writes into mapped memory. */
export class Memory {
  readonly #writer: Writer;
  #buffer = "";
  #memory = "";
  #used = ROOM;

  /** Takes what writes lines. */
  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /** Binds memory of its own to a buffer. */
  bindBuffer(buffer: string, size: number, type: number = DEVICE_TYPE): string {
    const memory = this.#allocate({ buffer }, size, type);
    this.#writer.call("vkBindBufferMemory", { device: DEVICE, buffer, memory, memoryOffset: 0 });
    return memory;
  }

  /** Binds memory of its own to an image. */
  bindImage(image: string, size: number): void {
    const memory = this.#allocate({ image }, size, DEVICE_TYPE);
    this.#writer.call("vkBindImageMemory", { device: DEVICE, image, memory, memoryOffset: 0 });
  }

  /** Creates a buffer that the host can see. Returns it with its memory. */
  hostBuffer(size: number): { buffer: string; memory: string } {
    const buffer = this.#writer.create("VkBuffer", {
      size,
      usage: USAGE.anyBuffer,
      sharingMode: VK_SHARING_MODE_EXCLUSIVE,
    });
    const memory = this.bindBuffer(buffer, size, HOST_TYPE);
    this.#writer.call("vkMapMemory", { device: DEVICE, memory, offset: 0, size: WHOLE_SIZE, flags: 0 });
    return { buffer, memory };
  }

  /** Writes data into a part of a buffer that nobody has used. The device can read the data at once. */
  write(data: Uint8Array<ArrayBuffer>): { buffer: string; offset: number } {
    if (this.#used + data.length > ROOM) {
      ({ buffer: this.#buffer, memory: this.#memory } = this.hostBuffer(Math.max(ROOM, data.length)));
      this.#used = 0;
    }
    const offset = this.#used;
    this.#used += Math.ceil(data.length / ALIGNMENT) * ALIGNMENT;
    this.#writer.lines.push({ write: this.#memory, offset, content: data });
    return { buffer: this.#buffer, offset };
  }

  #allocate(of: Arguments, allocationSize: number, memoryTypeIndex: number): string {
    const memory = this.#writer.name("VkDeviceMemory"), pNext = [{ sType: "VkMemoryDedicatedAllocateInfo", ...of }];
    const pAllocateInfo = { allocationSize, memoryTypeIndex, pNext };
    this.#writer.call("vkAllocateMemory", { device: DEVICE, pAllocateInfo }, { pMemory: memory });
    this.#writer.atVeryEnd(() => this.#writer.call("vkFreeMemory", { device: DEVICE, memory }));
    return memory;
  }
}

/** VK_WHOLE_SIZE. */
const WHOLE_SIZE = "18446744073709551615";
