import { callback, checkOptions, type OptionRules, text, yesOrNo } from "../../../../ffi/check_options.ts";
import { bytesAt, inFrame } from "../../../../ffi/arena.ts";
import { codec, type StructObject, structsAt } from "../../../codec/codec.ts";
import { findCommand } from "../../../command/registry/table.ts";
import type { AnyHook, Layer } from "../../../layer.ts";
import { defineLayer } from "../../define/define_layer.ts";
import { prepareHooks } from "../native/prepare.ts";
import { type SavedShader, ShaderFolder } from "./folder.ts";
import { layoutOf } from "../../../codec/layout/layout.ts";
import { VK_SHADER_CODE_TYPE_SPIRV_EXT } from "../../../gen/native_gen.ts";

/** A place in a decoded struct that holds SPIR-V. */
interface CodePlace {
  /** The words. */
  readonly words: Uint32Array;
  /** Replaces the words. */
  put(words: Uint32Array): void;
}

/** Returns the SPIR-V in a decoded struct, in structs inside it and in their chains. */
function codeIn(value: unknown): CodePlace[] {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return [];
  const object = value as StructObject, isModule = object.sType === layoutOf("VkShaderModuleCreateInfo").sType;
  const isShader = object.sType === layoutOf("VkShaderCreateInfoEXT").sType;
  const own = isModule || isShader && object.codeType === VK_SHADER_CODE_TYPE_SPIRV_EXT ? [placeIn(object)] : [];
  return [...own, ...Object.values(object).flatMap(codeIn)];
}

function placeIn(object: StructObject): CodePlace {
  const bytes = bytesOf(object);
  return {
    words: new Uint32Array(bytes.buffer, 0, bytes.length >> 2),
    put(words) {
      object.codeSize = words.byteLength;
      object.pCode = words;
    },
  };
}

/** Data that is too large for the codec to copy was decoded to its address. */
function bytesOf({ pCode, codeSize }: StructObject): Uint8Array<ArrayBuffer> {
  if (typeof pCode === "bigint") return bytesAt(pCode, codeSize as number);
  const { buffer, byteOffset, byteLength } = pCode as Uint8Array<ArrayBuffer>;
  return new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

/** Options of {@linkcode spirvDump}. */
export interface SpirvDumpOptions {
  /** The folder for shaders, which is created if it does not exist. */
  readonly folder: string;
  /** Whether `close()` disassembles the shaders with `spirv-dis`, if that is installed. Needs `--allow-run`. */
  readonly disassemble?: boolean;
  /**
   * Called for each shader. Returns the words that the driver gets instead, or
   * nothing to leave the shader unchanged.
   */
  readonly replace?: (hash: string, words: Uint32Array) => Uint32Array | undefined | void;
}

const RULES: OptionRules<SpirvDumpOptions> = {
  folder: text("the path of a folder"),
  disassemble: yesOrNo,
  replace: callback("says what to use instead of a shader"),
};

/** A layer that saves shaders. */
export interface SpirvDump extends Disposable {
  /** The layer, for `layers` of `loadVulkan` or `instance.attach`. */
  readonly layer: Layer;
  /** The shaders seen so far, including replacements, each once. */
  readonly shaders: readonly SavedShader[];
  /** The error of a failed write, if there was one. The program continues. */
  readonly error: unknown;
  /**
   * Disassembles the shaders that have no text yet with `spirv-dis`, into files
   * beside them. Returns the paths; none if `spirv-dis` is not installed.
   */
  disassemble(): string[];
  /** Disassembles if the options say so. A second call does nothing. */
  close(): void;
}

/** The commands that may have SPIR-V in their arguments. */
const COMMANDS = /^vkCreate(ShaderModule|ShadersEXT|\w+Pipelines\w*)$/;

/**
 * Makes a layer that saves the SPIR-V of every shader once, under its hash,
 * from vkCreateShaderModule, vkCreateShadersEXT and pipelines. The layer may
 * also give the driver another shader. Shaders of a deferred operation are
 * saved, but not replaced.
 *
 * @throws {Error} if the folder cannot be created.
 *
 * @example Dump shaders, and try another one in the place of one
 * ```ts ignore
 * import { spirvDump } from "@pumice/gfx/layers";
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * const better = new Uint32Array(Deno.readFileSync("better.spv").buffer);
 * using dump = spirvDump({
 *   folder: "shaders",
 *   disassemble: true,
 *   replace: (hash) => hash.startsWith("9f86d081") ? better : undefined,
 * });
 * using vulkan = loadVulkan({ layers: [dump.layer] });
 * ```
 *
 * @example The layer asks for nothing but what brings shaders
 * ```ts
 * import { spirvDump } from "@pumice/gfx/layers";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const folder = Deno.makeTempDirSync();
 * using dump = spirvDump({ folder });
 * assert(dump.layer.anyCommand?.("vkCreateShaderModule"));
 * assertEquals(dump.layer.anyCommand?.("vkCreateImage"), undefined);
 * Deno.removeSync(folder);
 * ```
 */
export function spirvDump(options: SpirvDumpOptions): SpirvDump {
  checkOptions("spirvDump()", options, RULES);
  prepareHooks();
  const folder = new ShaderFolder(options.folder), hook = (command: string) => hookOver(command, folder, options);
  function close(): void {
    if (options.disassemble) folder.disassemble();
  }
  return {
    layer: defineLayer({ name: "VK_LAYER_PUMICE_spirv_dump", anyCommand: hook }),
    get shaders() {
      return [...folder.shaders.values()];
    },
    get error() {
      return folder.error;
    },
    disassemble: () => folder.disassemble(),
    close,
    [Symbol.dispose]: close,
  };
}

function hookOver(command: string, folder: ShaderFolder, { replace }: SpirvDumpOptions): AnyHook | undefined {
  if (!COMMANDS.test(command)) return undefined;
  const { params } = findCommand(command)!, infos = params.findIndex(({ name }) => /^pCreateInfos?$/.test(name));
  const count = params.findIndex(({ name }) => name === "createInfoCount"), { type } = params[infos];
  const deferred = params.findIndex((each) => each.type === "VkDeferredOperationKHR");
  return (next, ...args) => {
    const objects = structsAt(type, args[infos], count < 0 ? 1 : args[count]);
    const mayReplace = deferred < 0 || args[deferred] === 0n;
    if (!visit(objects, command, folder, mayReplace ? replace : undefined)) {
      return next(...args);
    }
    return withEncoded(type, objects, (address) => next(...args.with(infos, address)));
  };
}

/** Saves the SPIR-V in decoded structs and replaces some of it. Returns whether something was replaced. */
function visit(
  objects: readonly StructObject[],
  command: string,
  folder: ShaderFolder,
  replace: SpirvDumpOptions["replace"],
): boolean {
  let replaced = false;
  for (const place of objects.flatMap(codeIn)) {
    const shader = folder.save(place.words, command), other = replace?.(shader.hash, place.words);
    shader.replacedBy = other ? folder.save(other, command).hash : undefined;
    if (!other) continue;
    place.put(other);
    replaced = true;
  }
  return replaced;
}

/** Calls with the address of structs that are encoded again. */
function withEncoded<T>(type: string, objects: readonly StructObject[], call: (address: bigint) => T): T {
  const { size, encode } = codec(type);
  return inFrame((memory) => {
    const at = memory.alloc(size * objects.length);
    objects.forEach((object, index) => encode(object, at + size * index));
    return call(memory.address(at));
  });
}
