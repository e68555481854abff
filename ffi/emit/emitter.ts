import type { Code, Label } from "../asm/code.ts";
import type { TableSet } from "./layout.ts";
import type { Routine } from "./routine.ts";

/** Read-write data for the helpers of the core image: offsets in its data. */
export interface HelperSlots {
  /** Address of the arena's offset 0. The loader of the image fills it in. */
  readonly arenaBase: number;
  /** Address of `memcpy`, filled in by the loader as well. */
  readonly memcpy: number;
  /** {@linkcode HelperSlots.scratchSize} bytes that `readString` fills. */
  readonly scratch: number;
}

/** Read-write data of a group of callback thunks: offsets in the image's data. */
export interface ThunkSlots {
  /** The number of thunks. */
  readonly count: number;
  /** The thunks' records, one after the other. */
  readonly records: number;
  /** Address of the block for arguments. */
  readonly spill: number;
  /** Address of the function that runs TypeScript. */
  readonly callback: number;
  /** Address of the {@linkcode GATE} for `crossing`. */
  readonly gate: number;
}

/** A terminator that stores dispatch keys: its command, and the place of the next function. */
export interface StampSpec {
  /** The name for finding the address later, usually the command's. */
  readonly name: string;
  /**
   * The output of the command: `one` handle through a pointer argument;
   * `array`, with its length behind the pointer argument before it;
   * `allocated`, an array whose length is a u32 in the struct at argument 1;
   * `groups`, like `array` but of structs that contain handles.
   */
  readonly handles: "one" | "array" | "allocated" | "groups";
  /** Index of the argument that points to the handle or the array, 2 or 3. */
  readonly argument: number;
  /** Whether the command returns a 32-bit result. A negative result leaves the outputs unchanged. */
  readonly result: boolean;
  /** Byte offset, in the dispatch table, of the command to call. */
  readonly hiddenOffset: number;
  /** For `array` and `groups`: the result, as 32 bits without a sign, if the pointer to the length is NULL. */
  readonly failure: number;
  /**
   * For `array` and `groups`: calls `void (table, 0, about, 0)` as well if the
   * pointer to the length is NULL. The function's address is at a byte offset of
   * the dispatch table; the address is 0 for none. Absent: nothing is called.
   */
  readonly refused?: { readonly heardOffset: number; readonly about: number };
  /** For `allocated`: byte offset of the length in the struct at argument 1. */
  readonly lengthAt?: number;
  /** For `groups`: the places in a group. */
  readonly groupPlaces?: {
    /** Byte offset of the number of handles, 32 bits. */
    readonly count: number;
    /** Byte offset of the first handle. */
    readonly handles: number;
    /** The most handles there are. */
    readonly most: number;
    /** Bytes of a group. */
    readonly size: number;
  };
}

/**
 * The places in an object that stands for another object: byte offsets of the
 * address of a table, and of the other object's handle.
 */
export interface StandInPlaces {
  readonly table: number;
  readonly handle: number;
}

/** Functions that replace their first argument by the object it stands for, and call the same function of its table. */
export interface ExchangersSpec {
  /** The number of functions, which are {@linkcode ENTRY_SIZE} bytes apart. */
  readonly count: number;
  /** The places in the object at the first argument. */
  readonly object: StandInPlaces;
  /** Byte offset, in the table, of the first function to call. The others follow. */
  readonly functions: number;
}

/**
 * The place of the handle that replaces another: at a byte offset in the object
 * at that handle, or in the table; or in the object, at an offset that the
 * table contains, if both have the same owner.
 */
export type Exchange =
  | { readonly inObject: number }
  | { readonly inTable: number }
  | { readonly offsetInTable: number; readonly owner: { readonly inObject: number; readonly inTable: number } };

/**
 * A function that calls a function of a table with one argument replaced, or
 * with one handle replaced in a copy of the struct at an argument.
 */
export interface ExchangeJumpSpec {
  /**
   * The place of the table's address: in the object at the first argument,
   * which is replaced as well, or at a byte offset in its dispatch table.
   */
  readonly holder: StandInPlaces | { readonly inDispatchTable: number };
  /** Byte offset, in the table, of the function to call. */
  readonly target: number;
  /** Index of the argument that is replaced, or that points to the struct with the handle. */
  readonly argument: number;
  /**
   * The result if there is no replacement for a handle, and the index of the
   * argument that points to 32 bits to clear in that case.
   */
  readonly absent: { readonly result: number; readonly clear?: number; readonly refusesNull?: boolean };
  /** The replacement for the argument itself, or for the handle in the struct at the argument. */
  readonly exchange: Exchange | StructExchange;
}

/** The replacement of one handle in a struct. */
export interface StructExchange {
  /** Bytes of the struct, a multiple of 8. */
  readonly size: number;
  /** Byte offset of the handle. */
  readonly handle: number;
  /** Byte offset of 32 bits with the handle's type. */
  readonly typeAt: number;
  /** The replacements, by the handle's type. A single kind without `type` applies to all types. */
  readonly kinds: readonly { readonly type?: number; readonly exchange: Exchange }[];
}

/**
 * The contents of a deep copy: a struct, then its strings, then the elements of its lists, each followed by a string.
 */
export interface DeepCopySpec {
  /** Index of the recorded call's argument that points to the struct. */
  readonly argument: number;
  /** Bytes of the struct. */
  readonly size: number;
  /** Byte offsets of its strings' addresses. */
  readonly strings: readonly number[];
  /** Bytes of an element of each of its lists. */
  readonly element: number;
  /** Byte offsets of the lists' 32-bit counts and addresses, and of the string's address in an element. */
  readonly lists: readonly { readonly count: number; readonly elements: number; readonly text: number }[];
}

/** Data of the two GetProcAddr functions of an image. */
export interface ProcAddrSpec {
  /** The record, laid out as {@linkcode LOOKUP}: an offset in the image's data. */
  readonly record: number;
  /** Byte offset, in an instance's dispatch table, of the GetInstanceProcAddr for unknown names. */
  readonly instanceMiss: number;
  /** Byte offset, in a device's dispatch table, of the GetDeviceProcAddr for unknown names. */
  readonly deviceMiss: number;
  /** Distance in bytes from GetDeviceProcAddr's answer back to a pointer that must not be NULL for the answer. */
  readonly deviceCheck: number;
  /** The check that tells handles from other addresses. Absent: every address is taken for a handle. */
  readonly handles?: {
    /** The slots for the check. */
    readonly slots: CheckSlots;
    /** The messages about a first argument that is not an instance, or not a device. */
    readonly texts: Readonly<Record<"instance" | "device", CheckText>>;
  };
}

/**
 * Read-write data for functions that tell handles from other addresses and
 * report others: offsets in the image's data.
 */
export interface CheckSlots {
  /** Address of the {@linkcode TABLE_SETS}. */
  readonly sets: number;
  /** Address of `dprintf`. */
  readonly dprintf: number;
  /** Address of `abort`. */
  readonly abort: number;
  /** Address of the text for `dprintf`, with four `%s`: the command and the kind of handle, twice. */
  readonly format: number;
  /** Address of the names of commands, each with a NUL. */
  readonly names: number;
  /** Address of the names of parameters, in the same form. */
  readonly parameters: number;
}

/** A function's message about an argument that is not a handle: byte offsets in the names. */
export interface CheckText {
  /** The command's name. */
  readonly name: number;
  /** The name of the first parameter. */
  readonly parameter: number;
}

/** A function that checks its first argument before it jumps through its dispatch table. */
export interface CheckedTrampolineSpec {
  /** The name for finding the address later: the command's. */
  readonly name: string;
  /** Byte offset in the table. */
  readonly tableOffset: number;
  /** The kind of tables that are valid. */
  readonly set: TableSet;
  /** Whether the first argument may be NULL. The result is 0 then. */
  readonly isNullable: boolean;
  /** The message about any other argument. */
  readonly text: CheckText;
}

/** Read-write data for stubs that tell handles from other addresses: offsets in the image's data. */
export interface RefuseSlots {
  /** Address of the {@linkcode TABLE_SETS}. */
  readonly sets: number;
  /**
   * Address of the function for a first argument that is not a handle:
   * `uint64_t (uint64_t argument, uint32_t tableOffset, uint32_t set)`, with
   * the set's place in {@linkcode TABLE_SETS}. Its result is the command's
   * result.
   */
  readonly refuse: number;
  /** The table of the last search among instances, which most calls find again. Not an address if there is none. */
  readonly instance: number;
  /** The same among devices. */
  readonly device: number;
}

/** A stub by table that checks the handle first. */
export interface CheckedStubSpec {
  /** A letter for each integer parameter. None is an arena offset. */
  readonly shape: string;
  /** The kind of tables with which the handle may begin. */
  readonly set: "instance" | "device";
}

/** The places where checked trampolines and stubs continue if the first look does not find the table, by set. */
export type CheckPaths = Readonly<Record<"instance" | "device", Label>>;

/** Functions that hand their arguments to another function. */
export interface CaptureSpec {
  /** For each function, how many 8-byte arguments it has on the stack. */
  readonly stackCounts: readonly number[];
  /**
   * The place of a `uint32_t (frame, index, stackCount)`, with a
   * {@linkcode CAPTURED} block and the function's index. If the result is 0,
   * the call continues at the `next` of the block with its own arguments;
   * otherwise the function returns the results of the block.
   */
  readonly to: Label;
}

/** The code that differs between processors: how each piece of the emitted image is written. */
export interface Emitter {
  /** The code written so far. */
  readonly code: Code;
  /** Makes the instructions for functions that are written once for all processors. */
  routine(): Routine;
  /** Begins an exported call stub; `shape` has a letter for each integer parameter, `o` for arena offsets. */
  stub(name: string, shape: string, byTable: boolean, arenaBase: number): void;
  /** Writes the code that all checked stubs share. */
  refusalPaths(slots: RefuseSlots): CheckPaths;
  /** Begins an exported stub by table that calls nothing if the first argument is not a handle. */
  checkedStub(name: string, spec: CheckedStubSpec, slots: RefuseSlots, paths: CheckPaths): void;
  /** Writes peek, poke, copy, readString, threadPointer, fillTable, fillByName, invoke, setLoaderData and noteCaller. */
  helpers(slots: HelperSlots): void;
  /** Writes `void invoke(block)`, which makes the call in an {@linkcode INVOKE} block, and returns its place. */
  invoke(): Label;
  /**
   * Writes functions that hand their arguments to another function, {@linkcode CAPTURE_SIZE} apart, and returns the
   * place of the first.
   */
  captures(spec: CaptureSpec): Label;
  /** Writes callback thunks, the first exported as `thunks`, the others {@linkcode ENTRY_SIZE} apart. */
  thunks(slots: ThunkSlots): void;
  /** Writes `count` name lookup functions, the first exported as `lookups`, with their records from `records` on. */
  lookups(count: number, records: number): void;
  /** Writes one terminator. */
  stamp(spec: StampSpec): void;
  /** Writes `getInstanceProcAddr` and `getDeviceProcAddr`, whose hash table leads to {@linkcode PROC} records. */
  procAddr(spec: ProcAddrSpec): void;
  /** Writes an exported function that jumps through the dispatch table of its first argument. */
  trampoline(name: string, tableOffset: number): void;
  /** Writes the code that all checked trampolines share. */
  checkPaths(slots: CheckSlots): CheckPaths;
  /**
   * Writes an exported function that does so only if the first argument is a
   * handle. Otherwise the function reports the argument and ends the process.
   */
  checkedTrampoline(spec: CheckedTrampolineSpec, slots: CheckSlots, paths: CheckPaths): void;
  /** The same for a first argument that may be NULL. With NULL, the function returns 0. */
  nullableTrampoline(name: string, tableOffset: number): void;
  /**
   * Writes functions that replace their first argument, the first exported, the
   * others {@linkcode ENTRY_SIZE} apart.
   */
  exchangers(name: string, spec: ExchangersSpec): void;
  /**
   * Writes an exported function that also replaces a handle in its arguments.
   * If that is impossible, the function continues at `refused`, if that is
   * given; NULL is then impossible, too.
   */
  exchangeJump(name: string, spec: ExchangeJumpSpec, refused?: Label): void;
  /**
   * Writes an exported function that calls one of two functions, depending on
   * its first argument; see `CHOICE` in layout.ts.
   */
  choice(name: string, spec: { readonly slot: number; readonly value: number }): void;
  /** Writes the functions with which other threads let this one answer their calls; see gate.ts. */
  gate(): void;
  /** Writes `void takeLeave()`, which does what a {@linkcode LEAVE} block says. The slot holds the block's address. */
  takeLeave(slot: number): void;
  /** Writes an exported function that does nothing and returns 0. */
  nothing(name: string): void;
  /**
   * Writes an exported function for {@linkcode RING.copy}, which copies the
   * struct at an argument; see `COPIED` in layout.ts.
   */
  deepCopy(name: string, spec: DeepCopySpec): void;
  /** Writes an exported function that jumps to the address in a slot. */
  slotJump(name: string, slot: number): void;
  /** Writes a function that jumps through one table on one thread, and through another table on all others. */
  tableJump(name: string, slots: TableJumpSlots): void;
  /** Writes a function that clears the owner's error and jumps to an address; see {@linkcode RouteSlots}. */
  route(name: string, slots: RouteSlots): void;
  /** Writes a function that returns a thread's error and clears it; see {@linkcode TakeErrorSlots}. */
  takeError(name: string, slots: TakeErrorSlots): void;
  /** Writes a function `void *(const char *name)` that answers from a hash table; see {@linkcode NameLookupSlots}. */
  nameLookup(name: string, slots: NameLookupSlots): void;
  /** Writes a function that returns values of slots; see {@linkcode AnswerSlots}. */
  answer(name: string, slots: AnswerSlots): void;
  /**
   * Writes a function that returns the value in a slot if its first argument is
   * NULL, and otherwise jumps to the address in another slot; see
   * {@linkcode DefaultedSlots}.
   */
  defaulted(name: string, slots: DefaultedSlots): void;
  /** Writes a function that calls another for a NULL, and returns a failure; see {@linkcode RefusalSlots}. */
  refusal(name: string, slots: RefusalSlots): void;
}

/** The thread that may run a loader's TypeScript, and the loader's data about that thread. */
export interface OwnerSlots {
  /** The thread's control block. */
  readonly owner: number;
  /** The loader's own error on that thread, 64 bits. */
  readonly error: number;
  /** The value of the error without an error. */
  readonly noError: number;
}

/** Offsets of the slots that a table jump reads. */
export interface TableJumpSlots {
  /** The thread that uses {@linkcode TableJumpSlots.table}. */
  readonly owner: number;
  /** Address of the owner's table. */
  readonly table: number;
  /** Address of the table for all other threads. */
  readonly elsewhere: number;
  /** The index in both tables. */
  readonly index: number;
}

/** The addresses where a command continues. */
export interface RouteSlots extends OwnerSlots {
  /** Address for the owner, after its error is cleared. */
  readonly slot: number;
  /** Address for all other threads. */
  readonly elsewhere: number;
  /**
   * Address for the owner if the first argument is below 4 GiB, as the loader's
   * own handles are. Absent: the argument is ignored.
   */
  readonly own?: number;
}

/** Data of a function that finds a thread's error. */
export interface TakeErrorSlots extends OwnerSlots {
  /** Address of an `int32_t (void)` with the error of any thread. If it reports none, the loader's own error counts. */
  readonly slot: number;
}

/** Data of a name lookup. */
export interface NameLookupSlots extends OwnerSlots {
  /** The record, laid out as {@linkcode LOOKUP}: an offset in the image's data. Its `miss` is not used. */
  readonly record: number;
  /** Address of a function to call first, without arguments. */
  readonly before: number;
  /** Address for unknown names on the owner's thread. */
  readonly slot: number;
  /** Address for unknown names on all other threads. */
  readonly elsewhere: number;
}

/** Data of a function that returns values. */
export interface AnswerSlots {
  /** Address of a function to call first, without arguments. */
  readonly before: number;
  /** The values, by the 32 bits of the first argument; without `argument`, for every argument. */
  readonly answers: readonly { readonly argument?: number; readonly value: number }[];
  /** Address for all other arguments. */
  readonly slot: number;
}

/** Data of a function with a default. */
export interface DefaultedSlots {
  /** The value for NULL. */
  readonly value: number;
  /** The 32 bits that the second argument must have for the default; absent: anything. */
  readonly second?: number;
  /** Address for all other arguments. */
  readonly slot: number;
}

/** Data of a refusal. */
export interface RefusalSlots {
  /** Address of the function to call with a NULL, which notes its error. */
  readonly slot: number;
  /** The result, 32 bits. */
  readonly failure: number;
}
