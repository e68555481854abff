import { plainWords } from "../../process/exit_code.ts";
import type { Said } from "./adb.ts";

/** A step that failed: the sentence says what was found and what to do. */
export class StepFailed extends Error {
  /** The exit code: 2 if something is not there, 1 if it cannot be used. */
  readonly code: 1 | 2;

  /** Makes the error. */
  constructor(message: string, code: 1 | 2) {
    super(message);
    this.code = code;
  }
}

/** The error of a machine without `adb`. */
export class NoAdb extends StepFailed {
  /** Makes the error. */
  constructor(program: string, { message }: Error) {
    super(`"${program}" cannot be run (${plainWords(message)}): install Debian's package adb, or give --adb=PATH`, 2);
  }
}

/** The answers of `adb` and Android, with their meanings and exit codes. The first that matches counts. */
const MEANINGS: readonly (readonly [says: RegExp, means: string, code: 1 | 2])[] = [
  [
    /no devices\/emulators found/,
    "there is no phone: connect one, allow USB debugging in its developer options, and look whether `adb devices` lists it",
    2,
  ],
  [/more than one device/, "there are several phones: give --serial=SERIAL, one of those that `adb devices` lists", 2],
  [/device '.*' not found/, "there is no such phone (any more): `adb devices` lists those there are", 2],
  [/unauthorized/, "the phone does not let this machine in: unlock it, and allow USB debugging in its dialog", 1],
  [/device offline/, "the phone does not answer: take the cable out and in again, or `adb reconnect`", 1],
  [
    /no permissions|insufficient permissions/i,
    "this user may not use the phone's USB port: install udev rules for phones (Debian package " +
    "android-sdk-platform-tools-common), and connect it again",
    1,
  ],
  [
    /cannot bind|rebind/i,
    "the port is in use on the phone: give another one by --port=PORT, or look at `adb reverse --list`",
    1,
  ],
  [
    /No such file or directory|couldn't create file|Permission denied|Read-only file system/i,
    "the phone takes no file there: on a build for development, `adb root` and make the folder by `adb shell mkdir -p`; " +
    "on others, install an application that is debuggable",
    1,
  ],
  [/No activities found/, "the application has no activity to start: give --activity=NAME", 1],
  [/^Error/m, "the application cannot be started so: give the full name of an activity by --activity=NAME", 1],
];

/** Answers that mean that the phone is no longer there. */
const GONE = /no devices\/emulators found|device '.*' not found|device offline|device still/;

/** Whether the phone was unplugged. */
export function isGone({ text }: Said): boolean {
  return GONE.test(text);
}

/** The error for a command that failed. */
export function failure(line: string, { code, text, isInterrupted }: Said): StepFailed {
  if (isInterrupted) return new StepFailed(`${line}: interrupted`, 1);
  const found = MEANINGS.find(([says]) => says.test(text)), said = text || `exit code ${code}`;
  return new StepFailed(`${line}: ${found ? `${found[1]} (adb: ${said})` : said}`, found?.[2] ?? 1);
}
