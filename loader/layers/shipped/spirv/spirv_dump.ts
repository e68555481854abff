import { callback, checkOptions, type OptionRules, text, yesOrNo } from "../../../../ffi/check_options.ts";
import { inFrame } from "../../../../ffi/arena.ts";
import { codec, type StructObject } from "../../../codec/codec.ts";
import { findCommand } from "../../../command/registry/table.ts";
import type { AnyHook, Layer } from "../../../layer.ts";
import { defineLayer } from "../../define/define_layer.ts";
import { structsAt } from "../../../codec/struct_at.ts";
import { prepareHooks } from "../native/prepare.ts";
import { codeIn } from "./find.ts";
import { type SavedShader, ShaderFolder } from "./folder.ts";

/** What {@linkcode spirvDump} is told. */
export interface SpirvDumpOptions {
  /** Where to save shaders; made if it is not there. */
  readonly folder: string;
  /** Whether `close()` disassembles what was saved, with `spirv-dis` where that is installed; needs `--allow-run`. */
  readonly disassemble?: boolean;
  /** Asked for each shader: the words that the driver shall get instead, or nothing to leave it as it is. */
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
  /** What was seen so far, replacements included, each once. */
  readonly shaders: readonly SavedShader[];
  /** What went wrong in writing, if something did; the program goes on. */
  readonly error: unknown;
  /** Disassembles what was not yet, with `spirv-dis`, into files beside the shaders. Returns their paths; none where that is not installed. */
  disassemble(): string[];
  /** Disassembles if the options say so. A second call does nothing more. */
  close(): void;
}

/** The commands that may bring SPIR-V along. */
const COMMANDS = /^vkCreate(ShaderModule|ShadersEXT|\w+Pipelines\w*)$/;

/**
 * Makes a layer that saves the SPIR-V of every shader under its hash, once, be
 * it given to vkCreateShaderModule, vkCreateShadersEXT or with a pipeline; and
 * that may give the driver another. Shaders of a deferred operation are saved,
 * but not replaced.
 *
 * @throws {Error} when the folder cannot be made.
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

/** Saves the SPIR-V in decoded structs and exchanges some; says whether it did. */
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

/** Calls with the address of structs encoded anew. */
function withEncoded<T>(type: string, objects: readonly StructObject[], call: (address: bigint) => T): T {
  const { size, encode } = codec(type);
  return inFrame((memory) => {
    const at = memory.alloc(size * objects.length);
    objects.forEach((object, index) => encode(object, at + size * index));
    return call(memory.address(at));
  });
}
