import { temporaryFolder } from "../../../loader/temporary_folder.ts";
import { type Instruction, instructionsOf as instructionsIn } from "../../../wsi/gpu/spirv.ts";

const OP = {
  typePointer: 32,
  store: 62,
  copyMemory: 63,
  copyMemorySized: 64,
  imageWrite: 99,
  firstAtomicWrite: 228,
  lastAtomicWrite: 242,
} as const;
/** Atomic operations of extensions: on floats, and flags. */
const ATOMICS: readonly number[] = [318, 319, 5614, 5615, 6035];
/** Instructions, in whose words a result's type comes before the result, that give pointers. */
const GIVES_POINTER: readonly number[] = [55, 57, 59, 60, 61, 65, 66, 67, 70, 83, 120, 124, 169, 245];
/** Storage classes of memory that is the shader's own: inputs, outputs, private, function and workgroup variables. */
const OWN: readonly number[] = [1, 3, 4, 6, 7];

/** Returns the instructions of a shader's bytes, up to one that is cut off or damaged. */
export function instructionsOf(bytes: Uint8Array): Iterable<Instruction> {
  return instructionsIn(new Uint32Array(bytes.slice().buffer, 0, bytes.length >> 2)); // the bytes may lie anywhere
}

/** Whether a shader may write buffers or images that it reaches through descriptors or addresses. */
export function mayStore(bytes: Uint8Array): boolean {
  const classes = new Map<number, number>(), types = new Map<number, number>();
  for (const [op, words] of instructionsOf(bytes)) {
    if (op === OP.typePointer) classes.set(words[1], words[2]);
    if (GIVES_POINTER.includes(op)) types.set(words[2], words[1]);
    if (op === OP.imageWrite || ATOMICS.includes(op)) return true;
    if (op >= OP.firstAtomicWrite && op <= OP.lastAtomicWrite) return true;
    const isStore = op === OP.store || op === OP.copyMemory || op === OP.copyMemorySized;
    if (isStore && !OWN.includes(classes.get(types.get(words[1]) ?? 0) ?? -1)) return true;
  }
  return false;
}

/**
 * Returns the lines that `spirv-dis` writes about a shader; none where there is no such program, or where the program
 * does not know the shader.
 */
export function assemblyOf(code: Uint8Array): string[] {
  using folder = temporaryFolder("assembly");
  const file = `${folder.path}/shader.spv`;
  try {
    Deno.writeFileSync(file, code);
    const args = ["--no-color", "--no-header", file];
    const { success, stdout } = new Deno.Command("spirv-dis", { args, stderr: "null" }).outputSync();
    return success ? new TextDecoder().decode(stdout).trimEnd().split("\n") : [];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) return [];
    throw error;
  }
}
