import type { Label } from "../../../ffi/asm/code.ts";
import { inFrame } from "../../../ffi/arena.ts";
import { codec } from "../../../loader/codec/codec.ts";
import { VK_ERROR_LAYER_NOT_PRESENT, VK_INCOMPLETE } from "../../../loader/gen/native_gen.ts";
import { LAYER_DESCRIPTION, LAYER_NAME } from "../manifest.ts";
import { RECORD } from "../layout.ts";
import { beginPart, type Parts } from "./parts.ts";

/** Vulkan 1.3, as the manifest says. */
const VERSION = 1 << 22 | 3 << 12;

/** Writes the functions that list layers and extensions. */
export function writeLists(parts: Parts): void {
  const bytes = layerProperties(), properties = { label: parts.constants.bytes(bytes), size: bytes.length };
  writeLayers(parts, "vkEnumerateInstanceLayerProperties", 0, properties);
  writeLayers(parts, "vkEnumerateDeviceLayerProperties", 1, properties);
  writeExtensions(parts, "vkEnumerateInstanceExtensionProperties", 0);
  writeExtensions(parts, "vkEnumerateDeviceExtensionProperties", 1);
}

function layerProperties(): Uint8Array {
  const { size, encode } = codec("VkLayerProperties");
  return inFrame((memory) => {
    const at = memory.alloc(size);
    memory.zero(at, size);
    encode(
      { layerName: LAYER_NAME, specVersion: VERSION, implementationVersion: 1, description: LAYER_DESCRIPTION },
      at,
    );
    return memory.bytes.slice(at, at + size);
  });
}

/** Writes code that lists one layer: this one. */
function writeLayers(
  parts: Parts,
  name: "vkEnumerateInstanceLayerProperties" | "vkEnumerateDeviceLayerProperties",
  first: number,
  properties: { readonly label: Label; readonly size: number },
): void {
  const { code } = parts, count = 0, out = 1, from = 2, left = 3, word = 4;
  beginPart(parts, `own ${name}`);
  code.argument(count, first);
  code.argument(out, first + 1);
  const counted = code.label(), room = code.label();
  code.ifZero(out, counted);
  code.load32(word, count);
  code.ifNotZero(word, room);
  code.finish(VK_INCOMPLETE);
  code.place(room);
  code.labelAddress(from, properties.label);
  code.set(left, properties.size / 8);
  const copy = code.here();
  code.load(word, from);
  code.store(out, 0, word);
  code.add(from, 8);
  code.add(out, 8);
  code.decrement(left);
  code.ifNotZero(left, copy);
  code.place(counted);
  code.set(word, 1);
  code.store32(count, 0, word);
  code.finish(0);
}

/**
 * Writes code that lists extensions. This layer has none; the function below lists those of others, and no function
 * below lists those of instances.
 */
function writeExtensions(
  parts: Parts,
  name: "vkEnumerateInstanceExtensionProperties" | "vkEnumerateDeviceExtensionProperties",
  first: 0 | 1,
): void {
  const { code, constants, functions } = parts, object = 0, layer = 1, count = 2, out = 3, value = 4;
  beginPart(parts, `own ${name}`);
  if (first === 1) code.argument(object, 0);
  code.argument(layer, first);
  code.argument(count, first + 1);
  code.argument(out, first + 2);
  const others = code.label(), none = code.label();
  code.ifZero(layer, others);
  code.pass(0, layer);
  code.labelAddress(value, constants.text(LAYER_NAME));
  code.pass(1, value);
  code.call(functions.sameText);
  code.result(value);
  code.ifZero(value, others);
  code.set(value, 0);
  code.store32(count, 0, value);
  code.finish(0);
  code.place(others);
  if (first === 1) writeBelow(parts, none);
  code.place(none);
  code.finish(VK_ERROR_LAYER_NOT_PRESENT >>> 0);

  /** Calls the function below with the same four arguments. */
  function writeBelow({ code }: Parts, none: Label): void {
    code.pass(0, object);
    code.call(functions.findObject);
    code.wideResult(value);
    code.ifZero(value, none);
    [object, layer, count, out].forEach((each, index) => code.pass(index, each as 0 | 1 | 2 | 3));
    code.callAt(value, RECORD.list);
    code.result(value);
    code.finish({ variable: value });
  }
}
