import { decode, readCString } from "../../ffi/cstring.ts";
import { COPIED } from "../../ffi/emit/layout.ts";
import { MESSAGE_DATA } from "../emit/layout.ts";
import { peek32, peek64 } from "../../ffi/machine.ts";
import type { VkObjectType } from "../gen/types_core_gen.ts";
import type { VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT } from "../gen/types_ext_gen.ts";
import {
  offsetsOfVkDebugUtilsLabelEXT,
  offsetsOfVkDebugUtilsMessengerCallbackDataEXT,
  offsetsOfVkDebugUtilsObjectNameInfoEXT,
} from "../gen/native_gen.ts";

/** A message of a driver, a layer or the loader; from `VkDebugUtilsMessengerCallbackDataEXT`. */
export interface DebugMessage {
  /** The severity. */
  readonly severity: VkDebugUtilsMessageSeverityFlagBitsEXT;
  /** The types of the message. */
  readonly types: VkDebugUtilsMessageTypeFlagsEXT;
  /** The name of this kind of message, such as a VUID; `""` if there is none. */
  readonly messageIdName: string;
  /** The number of this kind of message. */
  readonly messageIdNumber: number;
  /** The text. */
  readonly message: string;
  /** The objects that the message is about. */
  readonly objects: readonly DebugObject[];
  /** The open labels of the queue, the latest first. */
  readonly queueLabels: readonly DebugLabel[];
  /** The open labels of the command buffer, the latest first. */
  readonly cmdBufLabels: readonly DebugLabel[];
  /** The thread of the message: the value of `threadId()` of `@pumice/gfx/ffi` on that thread. */
  readonly thread: bigint;
  /** Whether the end is missing. A message of another thread is cut if it is too long for a record. */
  readonly truncated: boolean;
}

/** An object that a message is about; from `VkDebugUtilsObjectNameInfoEXT`. */
export interface DebugObject {
  /** The type. */
  readonly type: VkObjectType;
  /** The handle. */
  readonly handle: bigint;
  /** The name that vkSetDebugUtilsObjectNameEXT set; `""` if there is none. */
  readonly name: string;
}

/** A label of a queue or a command buffer; from `VkDebugUtilsLabelEXT`. */
export interface DebugLabel {
  /** The name. */
  readonly name: string;
  /** The colour: red, green, blue, alpha. */
  readonly color: readonly number[];
}

/** The other arguments of a message, and its thread. */
export type MessageCall = Pick<DebugMessage, "severity" | "types" | "thread">;

/** A C struct. Strings and lists must be asked for in the order in which {@linkcode MESSAGE_DATA} names them. */
interface Source {
  u32(offset: number): number;
  u64(offset: number): bigint;
  text(offset: number): string;
  list<T>(list: (typeof MESSAGE_DATA.lists)[number], read: (element: Source) => T): T[];
}

const [ID_NAME, TEXT] = MESSAGE_DATA.strings;
const { messageIdNumber: ID_NUMBER } = offsetsOfVkDebugUtilsMessengerCallbackDataEXT;
const [OBJECTS, QUEUE_LABELS, CMD_BUF_LABELS] = MESSAGE_DATA.lists;
const { objectType: OBJECT_TYPE, objectHandle: OBJECT_HANDLE } = offsetsOfVkDebugUtilsObjectNameInfoEXT;
const { color: COLOR } = offsetsOfVkDebugUtilsLabelEXT;

/** Reads the message at an address. The address must be the callback's data, and the callback must still be running. */
export function liveMessage(address: bigint, call: MessageCall): DebugMessage {
  return { ...call, ...messageOf(new LiveSource(address)), truncated: false };
}

/** Reads a message that was copied to the record of a ring. */
export function recordedMessage(record: DataView<ArrayBuffer>, call: MessageCall): DebugMessage {
  const truncated = record.getUint32(COPIED.cut, true) !== 0;
  return { ...call, ...messageOf(new Cursor(record).struct(MESSAGE_DATA.size)), truncated };
}

function messageOf(data: Source): Omit<DebugMessage, keyof MessageCall | "truncated"> {
  return {
    messageIdNumber: data.u32(ID_NUMBER) | 0,
    messageIdName: data.text(ID_NAME),
    message: data.text(TEXT),
    objects: data.list(OBJECTS, (object) => ({
      type: object.u32(OBJECT_TYPE),
      handle: object.u64(OBJECT_HANDLE),
      name: object.text(OBJECTS.text),
    })),
    queueLabels: data.list(QUEUE_LABELS, labelOf),
    cmdBufLabels: data.list(CMD_BUF_LABELS, labelOf),
  };
}

function labelOf(label: Source): DebugLabel {
  const bits = Uint32Array.of(...[0, 4, 8, 12].map((at) => label.u32(COLOR + at)));
  return { name: label.text(QUEUE_LABELS.text), color: [...new Float32Array(bits.buffer)] };
}

/** A struct in native memory, whose pointers can be followed. */
class LiveSource implements Source {
  readonly #address: bigint;

  constructor(address: bigint) {
    this.#address = address;
  }

  u32(offset: number): number {
    return peek32(this.#address + BigInt(offset));
  }

  u64(offset: number): bigint {
    return peek64(this.#address + BigInt(offset));
  }

  text(offset: number): string {
    return readCString(this.u64(offset));
  }

  list<T>({ count, elements }: (typeof MESSAGE_DATA.lists)[number], read: (element: Source) => T): T[] {
    const first = this.u64(elements), length = first === 0n ? 0 : this.u32(count);
    return Array.from(
      { length },
      (_, index) => read(new LiveSource(first + BigInt(MESSAGE_DATA.element * index))),
    );
  }
}

/** Reads copied bytes from front to back. */
class Cursor {
  readonly #view: DataView<ArrayBuffer>;
  readonly #end: number;
  #at: number = COPIED.bytes;

  constructor(view: DataView<ArrayBuffer>) {
    this.#view = view;
    this.#end = Number(view.getBigUint64(COPIED.end, true));
  }

  /** The next struct. Its strings and lists follow in the copy. */
  struct(size: number): Source {
    const view = this.#view, start = this.#at;
    this.#at += size;
    const u64 = (offset: number) => view.getBigUint64(start + offset, true);
    return {
      u32: (offset) => view.getUint32(start + offset, true),
      u64,
      text: (offset) => u64(offset) === 0n ? "" : this.#text(),
      list: ({ count, elements }, read) => {
        const found = [], wanted = u64(elements) === 0n ? 0 : view.getUint32(start + count, true);
        while (found.length < wanted && this.#end - this.#at >= MESSAGE_DATA.element) {
          found.push(read(this.struct(MESSAGE_DATA.element)));
        }
        return found;
      },
    };
  }

  /** The next string, which has no NUL if it was cut. */
  #text(): string {
    const rest = new Uint8Array(this.#view.buffer, this.#at, this.#end - this.#at), nul = rest.indexOf(0);
    const size = nul < 0 ? rest.length : nul;
    this.#at = Math.min(this.#end, this.#at + size + 1);
    return decode(rest, size);
  }
}
