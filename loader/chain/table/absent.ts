import { type Absent, type AbsentCommand, createAbsent } from "../../emit/absent.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { cstring } from "../../../ffi/cstring.ts";
import { returning } from "../../../ffi/thunk/thunk.ts";
import { canFail } from "../../command/registry/result_codes.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";
import { tableLayout } from "./table_layout.ts";
import { VK_ERROR_EXTENSION_NOT_PRESENT, VK_SUCCESS } from "../../gen/native_gen.ts";

/** The message for `dprintf`: the command, and the driver. */
const FORMAT = `${"[Vulkan Loader] ERROR:".padEnd(32)}%s: nothing is done: it is no command of %s, ` +
  "or the extension that brings it was not enabled\n";

type Level = "instance" | "device";

/** The functions, by whether they fail: Android's loader makes them return VK_SUCCESS. */
const made = new Map<boolean, Absent | null>();
/** The function for all of them where emitted code cannot be used. */
let nothing: bigint | undefined;
/** Names of drivers by path, and how many holders each has. */
const drivers = new Map<string, { readonly block: NativeBlock; holders: number }>();

/**
 * Returns the function that native code gets for a missing command. With any
 * arguments, it only reports the call on standard error. If `fails`, it returns
 * VK_ERROR_EXTENSION_NOT_PRESENT for commands that can fail; otherwise 0.
 */
export function absentCommand(level: Level, slot: number, fails: boolean): bigint {
  return absentOf(fails)?.at(level === "instance" ? slot : tableLayout("instance").count + slot) ??
    (nothing ??= returning("q:", 0n));
}

/** Whether an address is one that {@linkcode absentCommand} returns. */
export function isAbsent(address: bigint): boolean {
  if (address === 0n || address === nothing) return address !== 0n;
  for (const each of made.values()) if (each?.has(address)) return true;
  return false;
}

/** Makes all functions. Not for use inside a callback. */
export function prepareAbsent(fails: boolean): void {
  absentOf(fails);
}

/** A driver's name in native memory. */
export interface DriverName {
  /** The address. */
  readonly address: bigint;
  /** Releases the name, which is freed after its last holder. */
  close(): void;
}

/** Returns the name of a driver for messages; `""` stands for any driver. All holders of a name share one. */
export function driverName(path: string): DriverName {
  const held = drivers.get(path) ?? { block: textBlock(path || "any driver"), holders: 0 };
  drivers.set(path, held);
  held.holders++;
  return {
    address: held.block.address,
    close() {
      if (--held.holders > 0) return;
      drivers.delete(path);
      held.block.close();
    },
  };
}

function textBlock(text: string): NativeBlock {
  const bytes = cstring(text), block = new NativeBlock(bytes.length);
  block.bytes.set(bytes);
  return block;
}

function absentOf(fails: boolean): Absent | null {
  let absent = made.get(fails);
  if (absent === undefined) made.set(fails, absent = createAbsent(commandsThat(fails), { format: FORMAT }) ?? null);
  return absent;
}

/** The commands of instances, then those of devices. */
function commandsThat(fails: boolean): AbsentCommand[] {
  const failure = fails ? VK_ERROR_EXTENSION_NOT_PRESENT : VK_SUCCESS;
  return (["instance", "device"] as const).flatMap((level) => {
    const { driver, heard } = tableLayout(level), offsets = { tableOffset: 8 * driver, heardOffset: 8 * heard };
    const names = level === "instance" ? INSTANCE_NAMES : DEVICE_NAMES;
    return names.split(" ").map((name) => ({ name, result: canFail(name) ? failure : VK_SUCCESS, ...offsets }));
  });
}
