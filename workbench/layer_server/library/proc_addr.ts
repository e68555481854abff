import type { Label } from "../../../ffi/asm/code.ts";
import { FIRST_OF_DEVICE, OWN } from "../commands.ts";
import { RECORD } from "../layout.ts";
import { writeIsSubscribed } from "./hand_over.ts";
import { addScaled, beginPart, type Parts } from "./parts.ts";

/** Offsets of `vk_layer.h` in VkNegotiateLayerInterface. */
const NEGOTIATION = { version: 16, instanceProcAddr: 24, deviceProcAddr: 32, physicalDeviceProcAddr: 40 } as const;
/** The version of the interface between loader and layer. */
const VERSION = 2;
/** Own commands whose calls always go through the capture, which connects and disconnects. */
const ALWAYS = 2;

/** Writes what the loader finds: the negotiation and both GetProcAddr. */
export function writeProcAddr(parts: Parts): void {
  writeNegotiation(parts);
  writeGetProcAddr(parts, "vkGetInstanceProcAddr", 0);
  writeGetProcAddr(parts, "vkGetDeviceProcAddr", FIRST_OF_DEVICE);
}

function writeNegotiation({ code, functions }: Parts): void {
  const struct = 0, value = 1, most = 2;
  code.begin("vkNegotiateLoaderLayerInterfaceVersion");
  code.argument(struct, 0);
  const older = code.label();
  code.load32(value, struct, NEGOTIATION.version);
  code.set(most, VERSION);
  code.ifBelow(value, most, older);
  code.store32(struct, NEGOTIATION.version, most);
  code.place(older);
  code.labelAddress(value, functions["own vkGetInstanceProcAddr"]);
  code.store(struct, NEGOTIATION.instanceProcAddr, value);
  code.labelAddress(value, functions["own vkGetDeviceProcAddr"]);
  code.store(struct, NEGOTIATION.deviceProcAddr, value);
  code.set(value, 0);
  code.store(struct, NEGOTIATION.physicalDeviceProcAddr, value);
  code.finish(0);
}

/** Writes GetProcAddr, which returns the function below itself for commands that no layer hooks: their calls cost nothing. */
function writeGetProcAddr(parts: Parts, name: "vkGetInstanceProcAddr" | "vkGetDeviceProcAddr", firstOwn: number): void {
  const { code, functions } = parts, handle = 0, asked = 1, number = 2, record = 3, value = 4;
  beginPart(parts, `own ${name}`);
  const below = code.label(), absent = code.label(), known = code.label(), captured = code.label();
  code.argument(handle, 0);
  code.argument(asked, 1);
  code.pass(0, asked);
  code.call(functions.findName);
  code.result(number);
  code.set(record, 0);
  writeFindRecord(parts);
  code.ifZero(number, below);
  code.decrement(number);
  writeOwn(parts, firstOwn, { below, captured });
  code.place(known);
  if (parts.place) {
    code.ifZero(record, absent);
    writeIsSubscribed(parts, number, value, below);
    code.copy(value, number);
    addScaled(code, record, value, 3);
    code.load(value, record, RECORD.next);
    code.ifNotZero(value, captured);
    code.jump(absent);
  }
  code.place(below);
  code.ifZero(record, absent);
  code.pass(0, handle);
  code.pass(1, asked);
  code.callAt(record, RECORD.procAddr);
  code.wideResult(value);
  code.finish({ variable: value });
  code.place(captured);
  code.labelAddress(value, functions.captures);
  addScaled(code, value, number, 4);
  code.finish({ variable: value });
  code.place(absent);
  code.finish(0);

  function writeFindRecord({ code, functions }: Parts): void {
    code.pass(0, handle);
    code.call(functions.findObject);
    code.wideResult(record);
  }

  /** Writes the answer for own commands: through the capture if a layer hooks the command, otherwise straight. */
  function writeOwn(parts: Parts, first: number, { below, captured }: { below: Label; captured: Label }): void {
    const straight = code.label();
    code.set(value, OWN.length);
    const isOwn = code.label();
    code.ifBelow(number, value, isOwn);
    code.jump(known);
    code.place(isOwn);
    if (first > 0) {
      code.set(value, first);
      code.ifBelow(number, value, below); // a device has no such command, as the function below says, too
    } else {
      code.set(value, ALWAYS);
      code.ifBelow(number, value, captured);
    }
    if (parts.place) {
      writeIsSubscribed(parts, number, value, straight);
      code.jump(captured);
    }
    code.place(straight);
    code.labelAddress(value, functions.own);
    addScaled(code, value, number, 4);
    code.finish({ variable: value });
  }
}
