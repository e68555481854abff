import type { Code, Label } from "../asm/code.ts";
import type { TableSet } from "./layout.ts";
import type { Routine } from "./routine.ts";

/** Read-write data the helpers of the core image use: offsets in its data. */
export interface HelperSlots {
  /** Address of the arena's offset 0, to be filled by the loader of the image. */
  readonly arenaBase: number;
  /** Address of `memcpy`, likewise. */
  readonly memcpy: number;
  /** {@linkcode HelperSlots.scratchSize} bytes that `readString` fills. */
  readonly scratch: number;
}

/** Read-write data of a group of callback thunks: offsets in the image's data. */
export interface ThunkSlots {
  /** How many thunks. */
  readonly count: number;
  /** Their records, one after the other. */
  readonly records: number;
  /** Address of the block that arguments are left in. */
  readonly spill: number;
  /** Address of the function that runs TypeScript. */
  readonly callback: number;
  /** Address of the {@linkcode DOOR} that `visit` goes to. */
  readonly door: number;
}

/** Where the handles of a group lie, as a list of groups has them: byte offsets in one group. */
export interface GroupPlaces {
  /** How many handles, 32 bits. */
  readonly count: number;
  /** The first handle. */
  readonly handles: number;
  /** The most handles there are. */
  readonly most: number;
  /** Bytes of a group. */
  readonly size: number;
}

/** A terminator that stores dispatch keys: which command it stands for, and where the next one is. */
export interface StampSpec {
  /** Name to find the address by later, usually the command's. */
  readonly name: string;
  /**
   * What the command returns: `one` handle through a pointer argument; `array`,
   * with its length behind the pointer argument before it; `allocated`, an
   * array whose length is a u32 in what argument 1 points to; `groups`, like
   * `array` but of structs with handles in them.
   */
  readonly kind: "one" | "array" | "allocated" | "groups";
  /** Index of the argument that points to the handle or the array, 2 or 3. */
  readonly argument: number;
  /** Whether the command returns a 32-bit result; a negative one leaves the outputs alone. */
  readonly result: boolean;
  /** Byte offset, in the dispatch table, of the command to call. */
  readonly hiddenOffset: number;
  /** Of `array` and `groups`: what is returned, as 32 bits without a sign, where the length has no place. */
  readonly failure: number;
  /** Of `allocated`: byte offset of the length in what argument 1 points to. */
  readonly lengthAt?: number;
  /** Of `groups`: what a group is. */
  readonly group?: GroupPlaces;
}

/** Byte offsets in an object that stands for another: of the address of a table, and of the other's handle. */
export interface StandInPlaces {
  readonly table: number;
  readonly handle: number;
}

/** Functions that exchange their first argument for what it stands for, and go on through its table. */
export interface ExchangersSpec {
  /** How many; they lie {@linkcode ENTRY_SIZE} apart. */
  readonly count: number;
  /** What the first argument points to. */
  readonly object: StandInPlaces;
  /** Byte offset, in the table, of the first function to go on to; the others follow. */
  readonly functions: number;
}

/**
 * Where the handle is that is put in the place of another: at a byte offset in what that one points to, or in the
 * table; or in what that one points to, at an offset that the table says, if both have the same owner.
 */
export type Exchange =
  | { readonly inObject: number }
  | { readonly inTable: number }
  | { readonly offsetInTable: number; readonly owner: { readonly inObject: number; readonly inTable: number } };

/** A function that goes on through a table with one argument exchanged, or one handle in a copy of what the argument points to. */
export interface ExchangeJumpSpec {
  /** Where the table's address is: in the first argument, which is exchanged as well, or in its dispatch table, at a byte offset. */
  readonly holder: StandInPlaces | { readonly inDispatchTable: number };
  /** Byte offset, in the table, of the function to go on to. */
  readonly target: number;
  /** Index of the argument that is, or points to, what is exchanged. */
  readonly argument: number;
  /** What is returned where there is nothing to put in a handle's place, and the argument that points to 32 bits to be 0 then. */
  readonly absent: { readonly result: number; readonly clear?: number };
  /** How the argument itself is exchanged, or the handle in the struct that it points to. */
  readonly exchange: Exchange | StructExchange;
}

/** How one handle in a struct is exchanged. */
export interface StructExchange {
  /** Bytes of the struct, a multiple of 8. */
  readonly size: number;
  /** Byte offset of the handle. */
  readonly handle: number;
  /** Byte offset of 32 bits that say what the handle is. */
  readonly typeAt: number;
  /** How it is exchanged, by these bits; a single kind without `type` is always that. */
  readonly kinds: readonly { readonly type?: number; readonly exchange: Exchange }[];
}

/** What a deep copy copies: a struct, then its strings, then the elements of its lists, each with a string behind it. */
export interface DeepCopySpec {
  /** Which argument of the recorded call points to the struct. */
  readonly argument: number;
  /** Bytes of the struct. */
  readonly size: number;
  /** Byte offsets of its strings' addresses. */
  readonly strings: readonly number[];
  /** Bytes of an element of any of its lists. */
  readonly element: number;
  /** Byte offsets of the lists' 32-bit counts and addresses, and of the string's address in an element. */
  readonly lists: readonly { readonly count: number; readonly elements: number; readonly text: number }[];
}

/** What the two GetProcAddr functions of an image go by. */
export interface ProcAddrSpec {
  /** Their record, laid out as {@linkcode LOOKUP}: an offset in the image's data. */
  readonly record: number;
  /** Byte offset, in an instance's dispatch table, of the GetInstanceProcAddr that unknown names are passed to. */
  readonly instanceMiss: number;
  /** Byte offset, in a device's dispatch table, of the GetDeviceProcAddr that unknown names are passed to. */
  readonly deviceMiss: number;
  /** How many bytes before what GetDeviceProcAddr answers lies what must not be NULL for that. */
  readonly deviceCheck: number;
  /** Whether, and by what, handles are told from other addresses; absent: all are taken for handles. */
  readonly handles?: {
    /** Where that lies. */
    readonly slots: CheckSlots;
    /** What is said of an instance that is none, and of a device. */
    readonly texts: Readonly<Record<"instance" | "device", CheckText>>;
  };
}

/** Read-write data by which functions tell handles from other addresses, and what they say: offsets in the image's data. */
export interface CheckSlots {
  /** Address of the {@linkcode TABLE_SETS}. */
  readonly sets: number;
  /** Address of `dprintf`. */
  readonly dprintf: number;
  /** Address of `abort`. */
  readonly abort: number;
  /** Address of the text that `dprintf` gets, with four `%s`: the command, what kind of handle, both once more. */
  readonly format: number;
  /** Address of the names of commands, each with a NUL behind it. */
  readonly names: number;
  /** Address of the names of parameters, likewise. */
  readonly parameters: number;
}

/** What a function says of a handle that is none: byte offsets among the names. */
export interface CheckText {
  /** The command's name. */
  readonly name: number;
  /** Its first parameter. */
  readonly parameter: number;
}

/** A function that checks its first argument before it jumps through its dispatch table. */
export interface CheckedTrampolineSpec {
  /** Name to find the address by later: the command's. */
  readonly name: string;
  /** Byte offset in the table. */
  readonly tableOffset: number;
  /** Which tables are right. */
  readonly set: TableSet;
  /** Whether the first argument may be NULL: then 0 is returned. */
  readonly isNullable: boolean;
  /** What is said of any other. */
  readonly text: CheckText;
}

/** Read-write data by which stubs tell handles from other addresses: offsets in the image's data. */
export interface RefuseSlots {
  /** Address of the {@linkcode TABLE_SETS}. */
  readonly sets: number;
  /**
   * Address of what is called for a first argument that is no handle: `uint64_t (uint64_t argument, uint32_t tableOffset,
   * uint32_t set)`, with the set's place in {@linkcode TABLE_SETS}. What it returns is the command's result.
   */
  readonly refuse: number;
  /** The table that was found last, by set, which most calls find again; what is no address at all for none. */
  readonly instance: number;
  /** Likewise. */
  readonly device: number;
}

/** A stub by table that looks at the handle first. */
export interface CheckedStubSpec {
  /** A letter for each integer parameter; none is an arena offset. */
  readonly shape: string;
  /** Which tables the handle may begin with. */
  readonly set: "instance" | "device";
}

/** Where checked trampolines and stubs go on when the first look does not find the table, by set. */
export type CheckPaths = Readonly<Record<"instance" | "device", Label>>;

/** What differs between machines: how each piece of the emitted image is written. */
export interface Emitter {
  /** The code written so far. */
  readonly code: Code;
  /** For functions written once for all machines. */
  routine(): Routine;
  /** Begins an exported call stub; `shape` has a letter for each integer parameter, `o` for arena offsets. */
  stub(name: string, shape: string, byTable: boolean, arenaBase: number): void;
  /** Writes what all checked stubs share. */
  refusalPaths(slots: RefuseSlots): CheckPaths;
  /** Begins an exported stub by table that calls nothing with a first argument that is no handle. */
  checkedStub(name: string, spec: CheckedStubSpec, slots: RefuseSlots, paths: CheckPaths): void;
  /** Writes peek, poke, copy, readString, threadPointer, fillTable, fillByName, invoke and setLoaderData. */
  helpers(slots: HelperSlots): void;
  /** Writes callback thunks, the first exported as `thunks`, the others {@linkcode ENTRY_SIZE} apart. */
  thunks(slots: ThunkSlots): void;
  /** Writes `count` name lookup functions, the first exported as `lookups`, whose records lie at `records`. */
  lookups(count: number, records: number): void;
  /** Writes one terminator. */
  stamp(spec: StampSpec): void;
  /** Writes `getInstanceProcAddr` and `getDeviceProcAddr`, whose hash table leads to {@linkcode PROC} records. */
  procAddr(spec: ProcAddrSpec): void;
  /** Writes an exported function that jumps through the dispatch table of its first argument. */
  trampoline(name: string, tableOffset: number): void;
  /** Writes what all checked trampolines share. */
  checkPaths(slots: CheckSlots): CheckPaths;
  /** Writes an exported function that does so only if the first argument is a handle; else it says so and ends the process. */
  checkedTrampoline(spec: CheckedTrampolineSpec, slots: CheckSlots, paths: CheckPaths): void;
  /** The same, for a first argument that may be NULL: then it returns 0. */
  nullableTrampoline(name: string, tableOffset: number): void;
  /** Writes functions that exchange their first argument, the first exported, the others {@linkcode ENTRY_SIZE} apart. */
  exchangers(name: string, spec: ExchangersSpec): void;
  /** Writes an exported function that exchanges a handle in its arguments, too; where that cannot be, it goes on at `refused`, if that is given, and NULL cannot be, either. */
  exchangeJump(name: string, spec: ExchangeJumpSpec, refused?: Label): void;
  /** Writes an exported function that goes on by its first argument; see first_argument.ts. */
  choice(name: string, spec: { readonly slot: number; readonly value: number }): void;
  /** Writes the functions by which other threads have this one answer their calls; see door.ts. */
  door(): void;
  /** Writes an exported function that does nothing and returns 0. */
  nothing(name: string): void;
  /** Writes an exported function for {@linkcode RING.copy}, which adds what an argument points to; see `COPIED` in layout.ts. */
  deepCopy(name: string, spec: DeepCopySpec): void;
  /** Writes an exported function that jumps to the address in a slot. */
  slotJump(name: string, slot: number): void;
  /** Writes one that jumps through a table for one thread, and through another table for all others. */
  tableJump(name: string, slots: TableJumpSlots): void;
  /** Writes one that clears the owner's error and goes on; see {@linkcode RouteSlots}. */
  route(name: string, slots: RouteSlots): void;
  /** Writes one that returns a thread's error and clears it; see {@linkcode TakeErrorSlots}. */
  takeError(name: string, slots: TakeErrorSlots): void;
  /** Writes a function `void *(const char *name)` that answers from a hash table; see {@linkcode NameLookupSlots}. */
  nameLookup(name: string, slots: NameLookupSlots): void;
  /** Writes one that answers from slots; see {@linkcode AnswerSlots}. */
  answer(name: string, slots: AnswerSlots): void;
  /** Writes one that returns the value in a slot when its first argument is NULL, and else jumps to the address in another; see {@linkcode DefaultedSlots}. */
  defaulted(name: string, slots: DefaultedSlots): void;
  /** Writes one that has a function refuse a NULL, and returns a failure; see {@linkcode RefusalSlots}. */
  refusal(name: string, slots: RefusalSlots): void;
}

/** The thread that may run a loader's TypeScript, and what the loader keeps of that thread. */
export interface OwnerSlots {
  /** Which thread: its control block. */
  readonly owner: number;
  /** The loader's own error on that thread, 64 bits. */
  readonly error: number;
  /** What stands there when there is none. */
  readonly noError: number;
}

/** Where a table jump finds what it goes by. */
export interface TableJumpSlots {
  /** Which thread goes by {@linkcode TableJumpSlots.table}. */
  readonly owner: number;
  /** Address of the owner's table. */
  readonly table: number;
  /** Address of the table of all others. */
  readonly elsewhere: number;
  /** The place in both tables. */
  readonly index: number;
}

/** Where a command goes on. */
export interface RouteSlots extends OwnerSlots {
  /** Where the owner goes, its error cleared. */
  readonly slot: number;
  /** Where all others go. */
  readonly elsewhere: number;
  /** Where the owner goes when the first argument is below 4 GiB, which handles of the loader's own are. Absent: the argument is not looked at. */
  readonly own?: number;
}

/** How a thread's error is found. */
export interface TakeErrorSlots extends OwnerSlots {
  /** What has the error of any thread, an `int32_t (void)`; the loader's own counts when it says that there is none. */
  readonly slot: number;
}

/** What a name lookup goes by. */
export interface NameLookupSlots extends OwnerSlots {
  /** Its record, laid out as {@linkcode LOOKUP}: an offset in the image's data. Its `miss` is not used. */
  readonly record: number;
  /** What is called first, without arguments. */
  readonly before: number;
  /** Address for unknown names on the owner's thread. */
  readonly slot: number;
  /** Address for unknown names on all other threads. */
  readonly elsewhere: number;
}

/** What a function goes by that answers itself. */
export interface AnswerSlots {
  /** What is called first, without arguments. */
  readonly before: number;
  /** What is returned, by what the first argument is, 32 bits, or whatever that is. */
  readonly answers: readonly { readonly argument?: number; readonly value: number }[];
  /** Where any other argument goes. */
  readonly slot: number;
}

/** What a function with a default goes by. */
export interface DefaultedSlots {
  /** What is returned for NULL. */
  readonly value: number;
  /** What the second argument, 32 bits, must be for that; absent: anything. */
  readonly second?: number;
  /** Where all other arguments go. */
  readonly slot: number;
}

/** What a refusal does. */
export interface RefusalSlots {
  /** What is called with a NULL, so that it notes its error. */
  readonly slot: number;
  /** What is returned, 32 bits. */
  readonly failure: number;
}
