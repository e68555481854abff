import type { Code, Label } from "../asm/code.ts";
import type { TableSet } from "./layout.ts";

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

/** A terminator that notes the end of an object: which command it stands for, and where that is. */
export interface FarewellSpec {
  /** Name to find the address by later. */
  readonly name: string;
  /** Byte offset, in the dispatch table, of the command to call: `void (handle, allocator)`. */
  readonly offset: number;
  /** Byte offset, in the dispatch table, of the eight bytes that are not 0 afterwards. */
  readonly noteOffset: number;
  /**
   * Byte offset, in the dispatch table, of the address of what the application's callbacks gave for the object, which begins
   * with a copy of them; 0 for nothing.
   */
  readonly keptOffset: number;
}

/** A terminator that stores dispatch keys: which command it stands for, and where the next one is. */
export interface StampSpec {
  /** Name to find the address by later, usually the command's. */
  readonly name: string;
  /**
   * What the command returns: `one` handle through a pointer argument; `array`,
   * with its length behind the pointer argument before it; `allocated`, an
   * array whose length is the u32 at byte 28 of argument 1; `groups`, like
   * `array` but of `VkPhysicalDeviceGroupProperties`.
   */
  readonly kind: "one" | "array" | "allocated" | "groups";
  /** Index of the argument that points to the handle or the array, 2 or 3. */
  readonly argument: number;
  /** Whether the command returns a `VkResult`; a negative one leaves the outputs alone. */
  readonly result: boolean;
  /** Byte offset, in the dispatch table, of the command to call. */
  readonly hiddenOffset: number;
}

/** A handle in the arguments of a command that is ours, where the member must get its own. */
export type OurHandle = "surface" | "physicalDevice" | "instance";

/** A function that hands a command on to the member, of several drivers behind one loader, that its first argument belongs to. */
export interface MemberJumpSpec {
  /** The command's name. */
  readonly name: string;
  /** What the first argument is: a physical device of ours, or a member's own device, whose table leads to the member. */
  readonly holder: "physicalDevice" | "device";
  /** Byte offset, in the member's table, of the function to go on to. */
  readonly target: number;
  /** Index of the argument that is, or points to, what must be exchanged. */
  readonly argument: number;
  /** What is returned when the member has no surface for ours, and the argument that points to 32 bits to be 0 then. */
  readonly absent: {
    readonly result: number;
    readonly clear?: number;
    /** Offset, in the image's data, of the address of a text for standard error. Then NULL is no surface, either. */
    readonly said?: number;
  };
  /** The struct the argument points to; absent: the argument is itself a surface of ours. */
  readonly struct?: {
    /** Its bytes, a multiple of 8. */
    readonly size: number;
    /** Byte offset of the handle. */
    readonly handle: number;
    /** What the handle is, by the 32-bit value at byte 16; a single one without `type` is always that. */
    readonly kinds: readonly { readonly type?: number; readonly kind: OurHandle }[];
  };
}

/** Functions for several drivers behind one loader. */
export interface MembersSpec {
  /** How many physical-device commands need no more than the member's own handle; they lie {@linkcode ENTRY_SIZE} apart. */
  readonly count: number;
  /** Commands in whose arguments a handle must be exchanged. */
  readonly jumps: readonly MemberJumpSpec[];
  /** Byte offset, in a device's dispatch table, of the address of its member's table. */
  readonly memberOffset: number;
  /** A vkCreateSharedSwapchainsKHR, in whose structs the surface is exchanged, like a jump of that struct. */
  readonly shared?: Pick<MemberJumpSpec, "name" | "target" | "absent"> & {
    readonly struct: { readonly size: number; readonly handle: number };
  };
  /** Offset, in the image's data, of the address of a list of addresses laid out as `CALLS` in shared_swapchains.ts. */
  readonly calls: number;
  /** Bytes of a member's table, and where in it the functions are that destroy, list and look up what is the member's own. */
  readonly table: {
    readonly size: number;
    readonly destroyInstance: number;
    readonly destroySurface: number;
    readonly listDevices: number;
    readonly getInstanceProcAddr: number;
  };
}

/** Functions for an instance whose physical devices are wrapped. */
export interface WrappingSpec {
  /** How many commands a wrapping has; the function of each lies {@linkcode ENTRY_SIZE} behind the one before. */
  readonly count: number;
  /** How many of these, the last ones, are for commands that the registry does not know. */
  readonly unknown: number;
  /** Byte offsets, in the dispatch table of an instance and of a device, of the wrapping's address. */
  readonly inTable: { readonly instance: number; readonly device: number };
  /** The commands that list devices, and groups of them: what to call each, and its place among the functions. */
  readonly devices: { readonly name: string; readonly slot: number };
  readonly groups: readonly { readonly name: string; readonly slot: number }[];
  /** Commands of devices that name an object: bytes of their struct, and where in the device's table the command itself is. */
  readonly naming: readonly { readonly name: string; readonly size: number; readonly hiddenOffset: number }[];
}

/** What the functions go by that list something of a name, or of an object alone. */
export interface ByNameSpec {
  /** Byte offsets, in an object's dispatch table, of what is called with a name, and of what without one. */
  readonly inTable: { readonly named: number; readonly unnamed: number };
  /** The same for callers below the table's own functions. */
  readonly below: { readonly named: number; readonly unnamed: number };
  /** What another function copies, of an object alone: byte offset in its dispatch table of the list's address, bytes of an element. */
  readonly list: { readonly offset: number; readonly stride: number };
  /** Byte offset, in an instance's dispatch table, of the driver's own vkEnumeratePhysicalDevices. */
  readonly listDevices: number;
}

/** What functions go by that stand for commands which are not there. */
export interface AbsentSpec {
  /** The functions. */
  readonly entries: readonly {
    /** What it returns, as 32 bits; from 0 on where the result is wider. */
    readonly result: number;
    /** Byte offset, in the dispatch table of the first argument, of the address of the driver's name; absent: the one in the slot. */
    readonly tableOffset?: number;
    /**
     * Byte offset, in the dispatch table of the first argument, of the address of a function
     * `void (table, format, name, driver)` that hears of each call, too; the address is 0 for none. Absent: nobody does.
     */
    readonly heardOffset?: number;
  }[];
  /** Offsets in the image's data, of addresses. */
  readonly slots: {
    /** Of the functions' names: an array of addresses. */
    readonly names: number;
    /** Of a driver's name. */
    readonly driver: number;
    /** Of the text that `dprintf` gets, with two `%s`: the function's name and the driver's. */
    readonly format: number;
    /** Of where the address of `dprintf` lies. */
    readonly calls: number;
  };
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
  /** Writes an exported function that destroys an object through its dispatch table; see farewell.ts. */
  farewell(spec: FarewellSpec): void;
  /** Writes `getInstanceProcAddr` and `getDeviceProcAddr`, whose hash table leads to {@linkcode PROC} records. */
  procAddr(spec: ProcAddrSpec): void;
  /** Writes `absent`, functions that stand for commands which are not there, {@linkcode ENTRY_SIZE} apart. */
  absent(spec: AbsentSpec): void;
  /** Writes an exported function that jumps through the dispatch table of its first argument. */
  trampoline(name: string, tableOffset: number): void;
  /** Writes what all checked trampolines share. */
  checkPaths(slots: CheckSlots): CheckPaths;
  /** Writes an exported function that does so only if the first argument is a handle; else it says so and ends the process. */
  checkedTrampoline(spec: CheckedTrampolineSpec, slots: CheckSlots, paths: CheckPaths): void;
  /** The same, for a first argument that may be NULL: then it returns 0. */
  nullableTrampoline(name: string, tableOffset: number): void;
  /** Writes `members`, functions for physical-device commands, `listMembers` and `listGroups`, what destroys, and all jumps. */
  members(spec: MembersSpec): void;
  /** Writes `wrapped`, functions for physical-device commands, `findUnknown`, and the commands that list and name physical devices. */
  wrapping(spec: WrappingSpec): void;
  /** Writes `makeCurrent` and `releaseThread`, which have libGLdispatch follow EGL; `slot` holds the address of a record laid out as `FOLLOWED` in gl_dispatch.ts. */
  dispatchFollowers(slot: number): void;
  /** Writes `listOfObject` and `listAlone`. */
  byName(spec: ByNameSpec): void;
  /** Writes an exported function that goes on by its first argument; see first_argument.ts. */
  choice(name: string, spec: { readonly slot: number; readonly value: number }): void;
  /** Writes the functions by which other threads have this one answer their calls; see door.ts. */
  door(): void;
  /** Writes an exported function that does nothing and returns 0. */
  nothing(name: string): void;
  /** Writes an exported function that copies a debug message to a ring's record; see `MESSAGE` in vulkan_layout.ts. */
  messageCopy(name: string): void;
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
