/**
 * HAL modules with native buffers of their own, on top of the software drivers:
 * what a phone's driver is to this loader, and this loader did not make.
 *
 * @module
 */
import { readCString } from "../../ffi/cstring.ts";
import { Library } from "../../ffi/library/library.ts";
import { invokeAddress } from "../../ffi/machine.ts";
import { vulkanHeaders } from "../../tools/setup/parts.ts";
import { compileFixture } from "../support/compile.ts";
import { withEnvironment } from "../support/temporary.ts";
import { ADAPTED } from "./adaptor/drawing.ts";

/** The revisions of VK_ANDROID_native_buffer that there are such modules of. */
export const REVISIONS = [5, 6, 7, 8, 9, 10, 11] as const;
/** The habits of the fixture; see tests/fixtures/native_buffer_hal.c. */
export type Habit =
  | "events"
  | "late-fences"
  | "ignores-fences"
  | "keeps-files"
  | "ignores-binds"
  | "draws-nothing"
  | "never-acquires"
  | "touches-rows"
  | "reads-rows"
  | "maps-file"
  | "has-neighbours"
  | "tells-extensions"
  | "dies-creating"
  | "dies-querying"
  | "cpu-usage";

/** The HAL module of a revision over a software driver; `undefined` when a part is missing. */
export function foreignHal(below: string = "lavapipe", revision = 11): string | undefined {
  const icd = ADAPTED.find(([name]) => name === below)?.[1], headers = vulkanHeaders();
  if (!icd || !headers) return undefined;
  const flags = [`-DICD="${icd}"`, `-DREVISION=${revision}`, "-idirafter", headers];
  return compileFixture("native_buffer_hal", flags, `${below}_${revision}`);
}

/** Has the modules that are used meanwhile behave in some ways. */
export function withHabits<T>(habits: readonly Habit[], use: () => T): T {
  return withEnvironment({ NATIVE_BUFFER_HAL: habits.join(" ") }, use);
}

/** The calls that a module got since it was asked last. */
export function seenBy(path: string): string[] {
  using library = Library.open(path);
  const text = readCString(invokeAddress(library.require("hal_seen"), "q:", []) as bigint);
  return text.split("\n").filter((line) => line !== "");
}
