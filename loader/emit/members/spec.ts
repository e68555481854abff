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
  /** How many physical-device commands need no more than the member's own handle; they lie `ENTRY_SIZE` apart. */
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
