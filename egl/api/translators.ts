import type { Label } from "../../ffi/asm/code.ts";
import type { Routine, Variable } from "../../ffi/emit/routine.ts";
import { emitterForThisMachine, type Image, loadEmitted } from "../../ffi/image/image.ts";
import { eglCommands } from "../dispatch/names.ts";
import { EGL_PLATFORM_ANDROID_KHR } from "../gen/egl_constants_gen.js";
import {
  FIRST_HANDLE,
  HANDLE_KINDS,
  HANDLE_STEP,
  type HandleKind,
  type HandleTable,
  MADE_AT,
  MADE_BITS,
  MOST_HANDLES,
  STRING_NAMES,
  TABLE,
} from "./handle_table.ts";

/** Commands that take or make what only TypeScript knows: with a display of ours, the driver refuses them. */
const REFUSED = /^eglCreate(?:Platform)?(?:Window|Pixmap)Surface/;
/** Commands that make objects which the loader's thread may then be given. */
const MAKING = /^eglCreate(?:Context|Pbuffer)/;
const GET_PLATFORM = ["eglGetPlatformDisplay", "eglGetPlatformDisplayEXT"];
/** The handles of current objects, by their kinds. */
const OF_CURRENT: Readonly<Record<string, HandleKind>> = {
  eglGetCurrentContext: "EGLContext",
  eglGetCurrentDisplay: "EGLDisplay",
  eglGetCurrentSurface: "EGLSurface",
};

const value: Variable = 0, other: Variable = 1, offset: Variable = 2, cell: Variable = 3, table: Variable = 4;

/**
 * Functions for threads that are not the loader's: they give the driver its own handles in the place of those of
 * displays of ours, and call the driver. Handles of the driver's stay, so that objects can be made on any thread.
 */
export class Translators {
  readonly #image: Image;
  readonly #slots: ReadonlyMap<string, number>;

  private constructor(image: Image, slots: ReadonlyMap<string, number>) {
    this.#image = image;
    this.#slots = slots;
  }

  /**
   * Makes the functions over a table, for the commands that the driver has; `undefined` where emitted code cannot be
   * used.
   */
  static make(handles: HandleTable, has: (name: string) => boolean): Translators | undefined {
    const emitter = emitterForThisMachine();
    if (!emitter) return undefined;
    const at = emitter.code.reserve(), slots = new Map<string, number>();
    for (const name of eglCommands.names) {
      const write = has(name) ? writerOf(name) : undefined;
      if (!write) continue;
      const slot = emitter.code.reserve();
      slots.set(name, slot);
      write(emitter.routine(), { name, slot, table: at });
    }
    const image = loadEmitted(emitter);
    if (!image) return undefined;
    image.data.setBigUint64(at, handles.address, true);
    return new Translators(image, slots);
  }

  /** The function for a command, which calls `driver` in the end; `driver` itself for a command without handles. */
  before(name: string, driver: bigint): bigint {
    const slot = this.#slots.get(name);
    if (slot === undefined) return driver;
    this.#image.data.setBigUint64(slot, driver, true);
    return this.#image.address(name);
  }

  /** Frees the functions. None may be called afterwards. */
  close(): void {
    this.#image.unload();
  }
}

interface Places {
  readonly name: string;
  /** The slot with the driver's function. */
  readonly slot: number;
  /** The slot with the table's address. */
  readonly table: number;
}

function writerOf(name: string): ((routine: Routine, places: Places) => void) | undefined {
  if (Object.hasOwn(OF_CURRENT, name)) return writeCurrent;
  if (GET_PLATFORM.includes(name)) return writeGetPlatform;
  const { params } = eglCommands.find(name)!;
  const hasHandles = params.some(({ code, stars }) => stars === 0 && Object.hasOwn(HANDLE_KINDS, code));
  return hasHandles && params.length <= 6 && !REFUSED.test(name) ? writeCommand : undefined;
}

/** The command with the driver's handles. */
function writeCommand(routine: Routine, { name, slot, table: at }: Places): void {
  const { params } = eglCommands.find(name)!, ended = routine.label(), flag = params.length;
  routine.begin(name, params.length + 1);
  if (MAKING.test(name)) writeFlag(routine, at, flag);
  if (name === "eglTerminate" || name === "eglQueryString") {
    const others = routine.label();
    routine.argument(value, 0);
    routine.loadSlot(table, at);
    routine.load(cell, table, TABLE.android);
    routine.ifNotEqual(value, cell, others);
    if (name === "eglTerminate") routine.jump(ended);
    else writeStrings(routine);
    routine.place(others);
  }
  params.forEach(({ code, stars }, index) => {
    const unknown = routine.label();
    routine.argument(value, index);
    if (stars === 0 && Object.hasOwn(HANDLE_KINDS, code)) {
      writeTranslation(routine, { at, kind: code as HandleKind }, unknown);
      routine.place(unknown);
    }
    routine.storeCell(index, value);
  });
  callDriver(routine, params.length, slot);
  if (MAKING.test(name)) writeMade(routine, at, flag);
  routine.finish({ variable: value });
  // Only the loader's thread ends Android's display: the display is in use there.
  routine.place(ended);
  routine.finish(1);
}

/** Sets a cell to 0 if the display is Android's. */
function writeFlag(routine: Routine, at: number, flag: number): void {
  routine.argument(value, 0);
  routine.loadSlot(table, at);
  routine.load(cell, table, TABLE.android);
  routine.subtractVariable(value, cell);
  routine.storeCell(flag, value);
}

/** Remembers what was made in Android's display, for the loader's thread. */
function writeMade(routine: Routine, at: number, flag: number): void {
  const done = routine.label();
  routine.ifZero(value, done);
  routine.loadCell(cell, flag);
  routine.ifNotZero(cell, done);
  routine.loadSlot(table, at);
  routine.copy(other, table);
  routine.add(other, TABLE.made);
  const again = routine.here();
  routine.load(offset, other);
  routine.copy(cell, offset);
  routine.add(cell, 1);
  routine.exchange(other, offset, cell, again);
  routine.bits(offset, offset, 0, MADE_BITS);
  for (let doubled = 0; doubled < 3; doubled++) routine.addVariable(offset, offset);
  routine.set(cell, MADE_AT);
  routine.addVariable(offset, cell);
  routine.addVariable(offset, table);
  routine.store(offset, 0, value);
  routine.place(done);
}

/** Makes the value the driver's handle, or goes to a label and leaves it. */
function writeTranslation(routine: Routine, { at, kind }: { at: number; kind: HandleKind }, unknown: Label): void {
  const inside = routine.label();
  routine.copy(offset, value);
  routine.set(other, FIRST_HANDLE);
  routine.subtractVariable(offset, other);
  routine.set(other, MOST_HANDLES * HANDLE_STEP);
  routine.ifBelow(offset, other, inside);
  routine.jump(unknown);
  routine.place(inside);
  routine.bits(other, offset, 0, 4);
  routine.ifNotZero(other, unknown);
  routine.loadSlot(table, at);
  routine.addVariable(table, offset);
  routine.load(cell, table, TABLE.cells + 8);
  routine.set(other, HANDLE_KINDS[kind]);
  routine.ifNotEqual(cell, other, unknown);
  routine.load(cell, table, TABLE.cells);
  routine.ifZero(cell, unknown);
  routine.copy(value, cell);
}

/** Answers with a string of Android's display, if there is one. */
function writeStrings(routine: Routine): void {
  STRING_NAMES.forEach((name, index) => {
    const next = routine.label(), found = routine.label();
    routine.argument(other, 1);
    routine.bits(other, other, 0, 32);
    routine.set(offset, name);
    routine.ifEqual(other, offset, found);
    routine.jump(next);
    routine.place(found);
    routine.load(cell, table, TABLE.strings + 8 * index);
    routine.ifZero(cell, next);
    routine.finish({ variable: cell });
    routine.place(next);
  });
}

/** Stores the arguments as they came, for `callDriver`. */
function keepArguments(routine: Routine, count: number): void {
  for (let index = 0; index < count; index++) {
    routine.argument(value, index);
    routine.storeCell(index, value);
  }
}

/** Writes code that returns the current object, by the handle that callers have. */
function writeCurrent(routine: Routine, { name, slot, table: at }: Places): void {
  const { params } = eglCommands.find(name)!, done = routine.label(), found = routine.label();
  routine.begin(name, Math.max(params.length, 1));
  keepArguments(routine, params.length);
  callDriver(routine, params.length, slot);
  routine.ifZero(value, done);
  routine.loadSlot(table, at);
  routine.load(other, table, TABLE.used);
  routine.copy(offset, table);
  routine.add(offset, TABLE.cells);
  routine.addVariable(other, offset); // the end
  const loop = routine.here(), next = routine.label();
  routine.ifEqual(offset, other, done);
  routine.load(cell, offset);
  routine.ifNotEqual(cell, value, next);
  routine.load(cell, offset, 8);
  routine.set(table, HANDLE_KINDS[OF_CURRENT[name]]);
  routine.ifEqual(cell, table, found);
  routine.place(next);
  routine.add(offset, HANDLE_STEP);
  routine.jump(loop);
  routine.place(found);
  routine.loadSlot(table, at);
  routine.subtractVariable(offset, table);
  routine.copy(value, offset);
  routine.set(other, TABLE.cells);
  routine.subtractVariable(value, other);
  routine.add(value, FIRST_HANDLE);
  routine.place(done);
  routine.finish({ variable: value });
}

/** Android's display, if the loader has made it; all other displays are the driver's. */
function writeGetPlatform(routine: Routine, { name, slot, table: at }: Places): void {
  const others = routine.label(), isAndroid = routine.label();
  routine.begin(name, 3);
  keepArguments(routine, 3);
  routine.argument(value, 0);
  routine.bits(value, value, 0, 32);
  routine.set(other, EGL_PLATFORM_ANDROID_KHR);
  routine.ifEqual(value, other, isAndroid);
  routine.jump(others);
  routine.place(isAndroid);
  routine.argument(value, 1);
  routine.ifNotZero(value, others);
  routine.loadSlot(table, at);
  routine.load(value, table, TABLE.android);
  routine.ifZero(value, others);
  routine.finish({ variable: value });
  routine.place(others);
  callDriver(routine, 3, slot);
  routine.finish({ variable: value });
}

function callDriver(routine: Routine, count: number, slot: number): void {
  for (let index = 0; index < count; index++) {
    routine.loadCell(value, index);
    routine.pass(index, value);
  }
  routine.slotAddress(table, slot);
  routine.callAt(table, 0);
  routine.wideResult(value);
}
