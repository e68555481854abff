import { inFrame } from "../../ffi/arena.ts";
import { NativeBlock } from "../../ffi/block.ts";
import type { Command } from "../command/spec.ts";
import type { Gl } from "./egl.ts";
import * as g from "../gen/gl_constants_gen.js";

/** The layout of a client array, as the driver reads it. */
interface ArrayLayout {
  /** The attribute, or the array of OpenGL ES 1. */
  readonly target: ArrayTarget;
  /** Bytes that the driver reads of a vertex. */
  readonly element: number;
  /** Bytes from one vertex to the next. */
  readonly stride: number;
}

/** The target of a client array. */
interface ArrayTarget {
  /** For messages, such as "attribute 3" or "glVertexPointer". */
  readonly name: string;
  /** The index of an attribute; `undefined` in OpenGL ES 1. */
  readonly index?: number;
  /** In OpenGL ES 1, the names of the array's address and of its enabling. */
  readonly first?: { readonly pointer: number; readonly enabled: number };
  /** The texture unit of texture coordinates. */
  readonly unit?: number;
}

/** The names by which OpenGL ES 1 tells each command's address, and whether the array is enabled. */
const FIRST: Readonly<Record<string, { readonly pointer: number; readonly enabled: number }>> = {
  glVertexPointer: { pointer: g.GL_VERTEX_ARRAY_POINTER, enabled: g.GL_VERTEX_ARRAY },
  glNormalPointer: { pointer: g.GL_NORMAL_ARRAY_POINTER, enabled: g.GL_NORMAL_ARRAY },
  glColorPointer: { pointer: g.GL_COLOR_ARRAY_POINTER, enabled: g.GL_COLOR_ARRAY },
  glTexCoordPointer: { pointer: g.GL_TEXTURE_COORD_ARRAY_POINTER, enabled: g.GL_TEXTURE_COORD_ARRAY },
  glPointSizePointerOES: { pointer: g.GL_POINT_SIZE_ARRAY_POINTER_OES, enabled: g.GL_POINT_SIZE_ARRAY_OES },
  glMatrixIndexPointerOES: { pointer: g.GL_MATRIX_INDEX_ARRAY_POINTER_OES, enabled: g.GL_MATRIX_INDEX_ARRAY_OES },
  glWeightPointerOES: { pointer: g.GL_WEIGHT_ARRAY_POINTER_OES, enabled: g.GL_WEIGHT_ARRAY_OES },
};

/** Bytes of a component by its type. */
const COMPONENTS: Readonly<Record<number, number>> = {
  [g.GL_BYTE]: 1,
  [g.GL_UNSIGNED_BYTE]: 1,
  [g.GL_SHORT]: 2,
  [g.GL_UNSIGNED_SHORT]: 2,
  [g.GL_HALF_FLOAT]: 2,
  [g.GL_HALF_FLOAT_OES]: 2,
  [g.GL_INT]: 4,
  [g.GL_UNSIGNED_INT]: 4,
  [g.GL_FLOAT]: 4,
  [g.GL_FIXED]: 4,
};
/** Types that have all components in four bytes. */
const PACKED = new Set<number>([
  ...[g.GL_INT_2_10_10_10_REV, g.GL_UNSIGNED_INT_2_10_10_10_REV],
  ...[g.GL_INT_10_10_10_2_OES, g.GL_UNSIGNED_INT_10_10_10_2_OES],
]);
/** Components of arrays whose commands name no size. */
const COUNTS: Readonly<Record<string, number>> = { glNormalPointer: 3, glPointSizePointerOES: 1 };
/**
 * The layout that a command sets; `undefined` for values that no driver takes. `values` are the command's arguments
 * before the array.
 */
export function layoutOf(
  gl: Gl,
  { name, params }: Command,
  values: readonly (number | bigint)[],
): ArrayLayout | undefined {
  const value = (wanted: string) => {
    const at = params.findIndex((each) => each.name === wanted);
    return at < 0 ? undefined : Number(values[at]);
  };
  const size = value("size") ?? COUNTS[name] ?? 4, type = value("type") ?? g.GL_FLOAT, stride = value("stride") ?? 0;
  const component = PACKED.has(type) ? 4 : COMPONENTS[type];
  if (component === undefined || stride < 0 || (size < 1 || size > 4) && size !== g.GL_BGRA_EXT) return undefined;
  const element = PACKED.has(type) ? 4 : component * (size === g.GL_BGRA_EXT ? 4 : size);
  return { target: targetOf(gl, name, value("index")), element, stride: stride || element };
}

/** The array that a command sets now. */
export function targetOf(gl: Gl, name: string, index?: number): ArrayTarget {
  const first = FIRST[name];
  if (!first) return { name: `attribute ${index}`, index };
  const unit = name === "glTexCoordPointer" ? integer(gl, g.GL_CLIENT_ACTIVE_TEXTURE) : undefined;
  return { name, first, unit };
}

/** The address of an array for the vertex array object that is bound. */
export function pointerOf(gl: Gl, { index, first }: ArrayTarget): bigint {
  return inFrame((memory) => {
    const at = memory.alloc(16), address = memory.address(at);
    memory.view.setBigUint64(at, 0n, true);
    if (first) gl.raw.glGetPointerv(first.pointer, address);
    else gl.raw.glGetVertexAttribPointerv(index!, g.GL_VERTEX_ATTRIB_ARRAY_POINTER, address);
    return memory.view.getBigUint64(at, true);
  });
}

/** Whether the driver reads an array when it draws. */
export function isEnabled(gl: Gl, { index, first }: ArrayTarget): boolean {
  return first
    ? gl.raw.glIsEnabled(first.enabled) !== 0
    : attribute(gl, index!, g.GL_VERTEX_ATTRIB_ARRAY_ENABLED) !== 0;
}

/** One value of an attribute. */
export function attribute(gl: Gl, index: number, name: number): number {
  return oneValue((address) => gl.raw.glGetVertexAttribiv(index, name, address));
}

/** One value of glGetIntegerv. */
export function integer(gl: Gl, name: number): number {
  return oneValue((address) => gl.raw.glGetIntegerv(name, address));
}

function oneValue(ask: (address: bigint) => void): number {
  return inFrame((memory) => {
    const at = memory.alloc(64);
    memory.view.setInt32(at, 0, true);
    ask(memory.address(at));
    return memory.view.getInt32(at, true);
  });
}

/** A client array that the driver may read. */
export interface KeptArray {
  /** Bytes of the array. */
  readonly size: number;
  /** The layout of the array, as the driver reads it. */
  readonly layout: ArrayLayout;
}

/** A context's native copies of client arrays: each lives as long as the driver may read it. */
export class ClientArrays {
  readonly #read = new Map<bigint, NativeBlock>();
  /** Arrays by the addresses of their copies. */
  readonly #arrays = new Map<bigint, KeptArray>();
  /** The last array's memory, for the next copy: programs set their arrays anew for each frame. */
  #spare: NativeBlock | undefined;

  /**
   * Tells the driver of an array, and keeps a copy of the array for the driver.
   * The driver says which copy the new one replaces: that depends on the bound
   * vertex array object, and a failed command replaces none.
   */
  set(bytes: Uint8Array, layout: ArrayLayout | undefined, tell: (address: bigint) => void, told: () => bigint): void {
    const block = this.#copy(bytes), before = told();
    tell(block.address);
    const after = told();
    if (after !== before) this.#end(before);
    if (after !== block.address) return this.#layAside(block);
    this.#read.set(after, block);
    if (layout) this.#arrays.set(after, { size: bytes.length, layout });
  }

  /** Whether the driver reads no array of this context's. */
  get isEmpty(): boolean {
    return this.#arrays.size === 0;
  }

  /**
   * The arrays that a draw would read. `addressOf` returns the driver's address for an array, `inUnit` makes a texture
   * unit the one that is asked about.
   */
  kept(addressOf: (target: ArrayTarget) => bigint, inUnit: (unit: number, work: () => void) => void): KeptArray[] {
    const found = new Set<KeptArray>(), asked = new Set<string>();
    for (const { layout: { target } } of this.#arrays.values()) {
      const key = `${target.name} ${target.unit ?? ""}`;
      if (asked.has(key)) continue;
      asked.add(key);
      const look = () => {
        const array = this.#arrays.get(addressOf(target));
        if (array) found.add(array);
      };
      if (target.unit === undefined) look();
      else inUnit(target.unit, look);
    }
    return [...found];
  }

  /** The same for an array that is the caller's own, or in a buffer object. */
  leave(tell: () => void, told: () => bigint): void {
    const before = told();
    tell();
    if (told() !== before) this.#end(before);
  }

  /** Frees all: when the context is gone. */
  close(): void {
    for (const block of [...this.#read.values(), this.#spare]) block?.close();
    this.#read.clear();
    this.#arrays.clear();
    this.#spare = undefined;
  }

  #copy(bytes: Uint8Array): NativeBlock {
    const spare = this.#spare && this.#spare.size >= bytes.length ? this.#spare : undefined;
    if (spare) this.#spare = undefined;
    const block = spare ?? new NativeBlock(Math.max(bytes.length, 1));
    block.bytes.set(bytes);
    return block;
  }

  #end(address: bigint): void {
    const block = this.#read.get(address);
    this.#read.delete(address);
    this.#arrays.delete(address);
    if (block) this.#layAside(block);
  }

  /** Keeps the larger of two blocks. */
  #layAside(block: NativeBlock): void {
    const [larger, smaller] = block.size > (this.#spare?.size ?? -1) ? [block, this.#spare] : [this.#spare, block];
    smaller?.close();
    this.#spare = larger;
  }
}
