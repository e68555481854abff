import { arena, inFrame } from "../../ffi/arena.ts";
import { codec } from "../../loader/codec/codec.ts";
import type { Figure } from "../figure.ts";
import { compare, type Comparison } from "../measure.ts";
import type { Parts } from "../parts.ts";

const TIMES = 300_000;

/** Encoding and decoding a small struct, and one with an array of structs, beside C assignments. */
export function structFigures({ c }: Parts): Figure[] {
  return inFrame(() => {
    return [
      ...pair(
        "encode_ns_buffer",
        "VkBufferCreateInfo from a fresh literal",
        5,
        compare(encodeBuffers(), c.encode_buffer, TIMES, c.thread_milliseconds),
      ),
      ...pair(
        "encode_ns_dependency",
        "VkDependencyInfo with two image barriers",
        6,
        compare(encodeDependencies(), c.encode_dependency, TIMES, c.thread_milliseconds),
      ),
      ...decodeFigures(c),
    ];
  });
}

function decodeFigures(c: Parts["c"]): Figure[] {
  const memory = arena();
  const buffer = codec("VkBufferCreateInfo"), dependency = codec("VkDependencyInfo");
  const bufferAt = memory.alloc(buffer.size), dependencyAt = memory.alloc(dependency.size);
  buffer.encode({ size: 65536n, usage: 2 }, bufferAt);
  dependency.encode(dependencyInfo(1), dependencyAt);
  const buffers = compare(
    (times) => {
      for (let i = 0; i < times; i++) buffer.decode(bufferAt);
    },
    (times) => c.decode_buffer(memory.address(bufferAt), times),
    TIMES,
    c.thread_milliseconds,
  );
  const dependencies = compare(
    (times) => {
      for (let i = 0; i < times; i++) dependency.decode(dependencyAt);
    },
    (times) => c.decode_dependency(memory.address(dependencyAt), times),
    TIMES,
    c.thread_milliseconds,
  );
  return [
    ...pair("decode_ns_buffer", "VkBufferCreateInfo in the arena to an object", 3, buffers),
    ...pair("decode_ns_dependency", "VkDependencyInfo with two image barriers", 12, dependencies),
  ];
}

function pair(name: string, meaning: string, goal: number, { ours, theirs, ratio }: Comparison): Figure[] {
  return [
    { name, meaning, value: ours, unit: "ns" },
    { name: name.replace("_ns_", "_c_ns_"), meaning: "the same in C", value: theirs, unit: "ns" },
    { name: `${name.replace("_ns_", "_")}_vs_c`, meaning: "ratio of the two", value: ratio, unit: "×", goal },
  ];
}

function encodeBuffers() {
  const memory = arena(), { size, encode } = prepared("VkBufferCreateInfo", { size: 1n, usage: 1 });
  return (times: number) => {
    const at = memory.alloc(size);
    for (let i = 0; i < times; i++) encode({ size: 65536n, usage: i & 0xff }, at);
  };
}

function encodeDependencies() {
  const { size, encode } = prepared("VkDependencyInfo", dependencyInfo(1));
  return (times: number) => {
    for (let i = 0; i < times; i++) inFrame((memory) => encode(dependencyInfo(i), memory.alloc(size)));
  };
}

/** A codec whose encoder has compiled itself at the second call, so that taking the function out of it takes the fast one. */
function prepared(name: string, object: Record<string, unknown>) {
  return inFrame((memory) => {
    const found = codec(name);
    for (let call = 0; call < 2; call++) found.encode(object, memory.alloc(found.size));
    return { size: found.size, encode: found.encode };
  });
}

function dependencyInfo(i: number): Record<string, unknown> {
  return { pImageMemoryBarriers: [imageBarrier(i), imageBarrier(i + 1)] };
}

function imageBarrier(i: number) {
  return {
    srcStageMask: 1n,
    srcAccessMask: 2n,
    dstStageMask: 4n,
    dstAccessMask: 8n,
    newLayout: i & 7,
    srcQueueFamilyIndex: 0xffffffff,
    dstQueueFamilyIndex: 0xffffffff,
    image: 1000n,
    subresourceRange: { aspectMask: 1, levelCount: 1, layerCount: 1 },
  };
}
