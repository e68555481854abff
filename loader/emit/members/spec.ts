/** A handle of ours in the arguments of a command, which must be replaced by the member's own. */
export type OurHandle = "surface" | "physicalDevice" | "instance";

/**
 * A function that calls a command of the member, among several drivers behind
 * one loader, to which its first argument belongs.
 */
export interface MemberJumpSpec {
  /** The command's name. */
  readonly name: string;
  /** The first argument: a physical device of ours, or a member's own device, whose table leads to the member. */
  readonly holder: "physicalDevice" | "device";
  /** Byte offset, in the member's table, of the function to call. */
  readonly target: number;
  /** Index of the argument that must be replaced, or that points to the handle. */
  readonly argument: number;
  /**
   * The result if the member has no surface for ours, and the index of the
   * argument that points to 32 bits to clear in that case.
   */
  readonly absent: {
    readonly result: number;
    readonly clear?: number;
    /** Whether NULL counts as no surface. */
    readonly refusesNull?: boolean;
    /** Offset, in the image's data, of the address of a text for standard error. */
    readonly said?: number;
  };
  /** The struct at the argument. Absent: the argument itself is a surface of ours. */
  readonly struct?: {
    /** The block's bytes, a multiple of 8. */
    readonly size: number;
    /** Byte offset of the handle. */
    readonly handle: number;
    /** The kind of the handle, by the 32-bit value at byte 16. A single kind without `type` applies to all values. */
    readonly kinds: readonly { readonly type?: number; readonly kind: OurHandle }[];
  };
}

/** Functions for several drivers behind one loader. */
export interface MembersSpec {
  /** The number of physical-device commands that only need the member's own handle, `ENTRY_SIZE` apart. */
  readonly count: number;
  /** Commands with a handle of ours in their arguments. */
  readonly jumps: readonly MemberJumpSpec[];
  /** Byte offset, in a device's dispatch table, of the address of its member's table. */
  readonly memberOffset: number;
  /**
   * A vkCreateSharedSwapchainsKHR, which replaces the surface in each of its
   * structs, as a jump with that struct does.
   */
  readonly shared?: Pick<MemberJumpSpec, "name" | "target" | "absent"> & {
    readonly struct: { readonly size: number; readonly handle: number };
  };
  /** Offset, in the image's data, of the address of a list of addresses laid out as `CALLS` in shared_swapchains.ts. */
  readonly calls: number;
  /** Offset, in the image's data, of the address of the names of the variables that decide about devices, 0 after the last. */
  readonly variables: number;
  /**
   * Bytes of a member's table, and the offsets of the functions that destroy,
   * list and look up the member's own objects.
   */
  readonly table: {
    readonly size: number;
    readonly destroyInstance: number;
    readonly destroySurface: number;
    readonly listDevices: number;
    readonly listGroups: number;
    readonly getInstanceProcAddr: number;
  };
}
