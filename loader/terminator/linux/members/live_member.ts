import type { Member } from "./member.ts";
import type { MemberTable } from "./member_table.ts";

/** A member that has made its instance. */
export interface LiveMember {
  /** The driver. */
  readonly member: Member;
  /** Which of the instance's members it is, from 0. */
  readonly index: number;
  /** Its instance-level functions. */
  readonly table: MemberTable;
  /** Its vkGetDeviceProcAddr. */
  readonly getDeviceProcAddr: bigint;
}
