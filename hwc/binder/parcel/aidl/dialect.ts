import { failWith, STATUS } from "../../status.ts";
import { ParcelReader } from "../reader.ts";
import { ParcelWriter } from "../writer.ts";
import type { Message } from "../../bus.ts";

/** The form of AIDL between two processes of a device. */
export interface Dialect {
  /** The Android release of both, 10 to 16. Default 16. */
  readonly release: number;
  /** The version of the interface: newer members are not written. */
  readonly version: number;
}

/** Releases whose parcels are known. */
export const RELEASES: { readonly first: number; readonly last: number } = { first: 10, last: 16 };

/** `'SYST'` and `'VNDR'`: what was built for the system's partition, and for the vendor's. */
const SYSTEM_HEADER = 0x5359_5354, VENDOR_HEADER = 0x564e_4452;
const GATHER = 1 << 31, NO_WORK_SOURCE = -1;
/** Stability of the interfaces between system and vendor. */
const VINTF = 0x3f, REPRESENTATION_12 = 1;

/** Units of a text that are read at once: a call takes so many arguments without trouble. */
const TEXT_PART = 1024;

/** A parcel of AIDL that is written. */
export class AidlWriter extends ParcelWriter {
  /** The form in which it is written. */
  readonly dialect: Dialect;

  /** An empty one. */
  constructor(dialect: Dialect) {
    super();
    this.dialect = dialect;
  }

  /** The words in front of the arguments of a call: strict mode, work source, header, descriptor, as the release has them. */
  token(descriptor: string): void {
    this.i32(GATHER);
    this.i32(NO_WORK_SOURCE);
    if (this.dialect.release >= 11) this.i32(SYSTEM_HEADER);
    this.text(descriptor);
  }

  /** UTF-16 behind its count; `null` is a count of -1. */
  text(value: string | null): void {
    if (value === null) return this.i32(-1);
    this.i32(value.length);
    this.utf16(value);
  }

  /** The word behind an object. Release 10 has none; release 12 has its level in the last of four bytes. */
  stability(isNull: boolean): void {
    const { release } = this.dialect, level = isNull ? 0 : VINTF;
    if (release < 11) return;
    this.i32(release === 12 ? level << 24 | REPRESENTATION_12 : level);
  }
}

/** A parcel of AIDL that is read. */
export class AidlReader extends ParcelReader {
  /** The form in which it was written. */
  readonly dialect: Dialect;

  /** At the beginning of a message. */
  constructor(message: Message, dialect: Dialect) {
    super(message);
    this.dialect = dialect;
  }

  /** Reads the words in front of a call's arguments. BAD_TYPE for another interface or an unknown header. */
  token(descriptor: string): void {
    this.i32();
    this.i32();
    if (this.dialect.release >= 11) this.#header();
    const found = this.text();
    if (found !== descriptor) failWith(STATUS.BAD_TYPE, `the call is for ${found}, and this is ${descriptor}`);
  }

  #header(): void {
    const header = this.i32();
    if (header === SYSTEM_HEADER || header === VENDOR_HEADER) return;
    failWith(STATUS.BAD_TYPE, `the header is 0x${(header >>> 0).toString(16)} instead of SYST or VNDR`);
  }

  /** UTF-16 behind its count; `null` for -1. */
  text(): string | null {
    const count = this.count(2);
    if (count === undefined) return null;
    const units = new Uint16Array(this.raw(count * 2 + 2).buffer);
    if (units[count] !== 0) failWith(STATUS.BAD_VALUE, "a string does not end with a zero");
    let text = "";
    for (let at = 0; at < count; at += TEXT_PART) {
      text += String.fromCharCode(...units.subarray(at, Math.min(at + TEXT_PART, count)));
    }
    return text;
  }

  /** The word behind an object. BAD_TYPE for a level that does not exist. */
  stability(): void {
    const { release } = this.dialect;
    if (release < 11) return;
    const word = this.i32(), level = release === 12 ? word >>> 24 : word & 0xffff;
    if (release === 12 && (word & 0xff) < 1) failWith(STATUS.BAD_TYPE, "the stability has no representation");
    if (![0, 0x03, 0x0c, VINTF].includes(level)) failWith(STATUS.BAD_TYPE, `0x${level.toString(16)} is no stability`);
  }
}
