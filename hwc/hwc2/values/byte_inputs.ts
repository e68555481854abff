import { peek32, peek8, poke32, poke8 } from "../../../ffi/machine.ts";
import type { PerFrameMetadata, PerFrameMetadataBlob } from "../../composer_records.ts";
import type { Call } from "../call/call.ts";
import { type Input, pointer } from "./inputs.ts";
import { peekFloat, pokeFloat } from "./numbers.ts";

/** The bytes at an address. */
export function bytesAt(address: bigint, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, index) => peek8(address + BigInt(index)));
}

/** Stores bytes. */
export function pokeBytes(address: bigint, bytes: Uint8Array): void {
  bytes.forEach((byte, index) => poke8(address + BigInt(index), byte));
}

/** uint32_t size, const uint8_t* */
export const BYTES: Input<Uint8Array> = {
  letters: "wq",
  read: ([size, at]) => bytesAt(pointer(at, size as number), size as number),
  write: (bytes, call) => [bytes.length, placed(bytes, call)],
};

/** uint32_t length, const char*, without a NUL. */
export const TEXT: Input<string> = {
  letters: "wq",
  read: (natives, call) => new TextDecoder().decode(BYTES.read(natives, call)),
  write: (text, call) => BYTES.write(new TextEncoder().encode(text), call),
};

function placed(bytes: Uint8Array, call: Call): bigint {
  const at = call.place(Math.max(1, bytes.length));
  pokeBytes(at, bytes);
  return at;
}

/** Places 32-bit values one after another. */
function placeInts(values: readonly number[], call: Call): bigint {
  const at = call.place(4 * Math.max(1, values.length));
  values.forEach((value, index) => poke32(at + BigInt(4 * index), value));
  return at;
}

function intsAt(at: bigint, count: number): number[] {
  return Array.from({ length: count }, (_, index) => peek32(at + BigInt(4 * index)) | 0);
}

/** uint32_t count, const int32_t* keys, const float* values */
export const METADATA: Input<readonly PerFrameMetadata[]> = {
  letters: "wqq",
  read: ([count, keys, values]) => {
    const size = count as number, from = pointer(values, size);
    return intsAt(pointer(keys, size), size).map((key, index) => ({
      key,
      value: peekFloat(from + BigInt(4 * index)),
    }));
  },
  write: (metadata, call) => {
    const keys = placeInts(metadata.map(({ key }) => key), call), values = call.place(4 * Math.max(1, metadata.length));
    metadata.forEach(({ value }, index) => pokeFloat(values + BigInt(4 * index), value));
    return [metadata.length, keys, values];
  },
};

/** uint32_t count, const int32_t* keys, const uint32_t* sizes, const uint8_t* bytes of all */
export const BLOBS: Input<readonly PerFrameMetadataBlob[]> = {
  letters: "wqqq",
  read: ([count, keys, sizes, bytes]) => {
    const found = count as number, lengths = intsAt(pointer(sizes, found), found).map((size) => size >>> 0);
    let at = pointer(bytes, lengths.some((size) => size > 0) ? 1 : 0);
    return intsAt(pointer(keys, found), found).map((key, index) => {
      const blob = bytesAt(at, lengths[index]);
      at += BigInt(lengths[index]);
      return { key, blob };
    });
  },
  write: (blobs, call) => {
    const keys = placeInts(blobs.map(({ key }) => key), call);
    const sizes = placeInts(blobs.map(({ blob }) => blob.length), call);
    return [blobs.length, keys, sizes, placed(Uint8Array.from(blobs.flatMap(({ blob }) => [...blob])), call)];
  },
};
