import { A64 } from "../../asm/a64.ts";
import type { Emitter } from "../emitter.ts";
import { emitterOf } from "../machine_emitter.ts";
import { writeCheckedTrampoline, writeCheckPaths, writeRefusalPaths } from "./check.ts";
import { writeCaptures } from "./capture.ts";
import { writeHelpers, writeInvoke } from "./helpers.ts";
import { writeLookups } from "./lookup.ts";
import { writeExchangeJump, writeExchangers } from "./exchange.ts";
import { writeDeepCopy } from "./deep_copy.ts";
import {
  writeAnswer,
  writeDefaulted,
  writeNameLookup,
  writeRefusal,
  writeRoute,
  writeTableJump,
  writeTakeError,
} from "./owned.ts";
import { writeProcAddr } from "./proc_addr.ts";
import { a64Routine } from "./routine.ts";
import { writeStamp } from "./stamp.ts";
import { writeCheckedStub, writeStub } from "./stub.ts";
import { writeThunks } from "./thunk.ts";
import { writeNothing, writeNullableTrampoline, writeSlotJump, writeTrampoline } from "./trampoline.ts";

/** Writes the emitted image's pieces for AArch64, as Linux and Android call functions. */
export function a64Emitter(): Emitter {
  return emitterOf(new A64(), {
    writeStub,
    writeRefusalPaths,
    writeCheckedStub,
    writeHelpers,
    writeInvoke,
    writeCaptures,
    writeThunks,
    writeLookups,
    writeStamp,
    writeProcAddr,
    writeExchangers,
    routine: a64Routine,
    writeExchangeJump,
    writeTrampoline,
    writeCheckPaths,
    writeCheckedTrampoline,
    writeNullableTrampoline,
    writeNothing,
    writeDeepCopy,
    writeSlotJump,

    writeTableJump,
    writeRoute,
    writeTakeError,
    writeNameLookup,
    writeAnswer,
    writeDefaulted,
    writeRefusal,
  });
}
