import { inFrame } from "../../../ffi/arena.ts";
import { closeDescriptor, controlDevice, errorName, lastError, openFile } from "../../../ffi/file/file_descriptor.ts";
import { callLibc } from "../../../ffi/invoke.ts";
import { KmsError } from "../kms_error.ts";

/** `VT_GETMODE`, `VT_SETMODE`, `VT_RELDISP` of `linux/vt.h`, `KDSETMODE` of `linux/kd.h`. */
const VT_GETMODE = 0x5601, VT_SETMODE = 0x5602, VT_RELDISP = 0x5605, KDSETMODE = 0x4b3a;
/** `struct vt_mode`: who decides about a switch, and the numbers of the signals. */
const VT_MODE = { mode: 0, released: 2, acquired: 4, size: 8 };
/** `VT_AUTO` and `VT_PROCESS`: the kernel switches, or the program is asked. */
const AUTO = 0, PROCESS = 1;
/** `KD_TEXT` and `KD_GRAPHICS`: whether the kernel draws the console's text. */
const TEXT = 0, GRAPHICS = 1;
/** Arguments of VT_RELDISP: the console may go; the program knows that the console is back (`VT_ACKACQ`). */
const MAY_GO = 1, IS_BACK = 2;
/** The signals by which the kernel asks. */
const RELEASE = { name: "SIGUSR1", number: 10 } as const, ACQUIRE = { name: "SIGUSR2", number: 12 } as const;
const O_RDWR_NOCTTY = 2 | 0o400;

/** The actions when consoles are switched. */
export interface ConsoleSwitches {
  /** Another console is wanted: the card is to be given away. */
  left(): void;
  /** This console is shown again: the card can be taken. */
  back(): void;
}

/** A text console whose text gives way to frames, until another console is looked at. */
export class TextConsole {
  readonly #fd: number;
  readonly #switches: ConsoleSwitches;
  readonly #release = (): void => this.#leave();
  readonly #acquire = (): void => this.#comeBack();

  private constructor(fd: number, switches: ConsoleSwitches) {
    this.#fd = fd;
    this.#switches = switches;
  }

  /** Takes a console, such as `/dev/tty2`. Throws a {@linkcode KmsError} `unsupported` or `permission`. */
  static take(path: string, switches: ConsoleSwitches): TextConsole {
    const fd = openFile(path, O_RDWR_NOCTTY);
    if (fd < 0) throw cannotTake(path, lastError());
    const taken = new TextConsole(fd, switches);
    Deno.addSignalListener(RELEASE.name, taken.#release); // before the kernel may send them
    Deno.addSignalListener(ACQUIRE.name, taken.#acquire);
    if (setMode(fd, PROCESS) && control(fd, KDSETMODE, GRAPHICS)) return taken;
    const error = lastError();
    taken.close();
    throw cannotTake(path, error);
  }

  /** The text comes back, and consoles are switched without asking. */
  close(): void {
    control(this.#fd, KDSETMODE, TEXT);
    setMode(this.#fd, AUTO);
    closeDescriptor(this.#fd);
    Deno.removeSignalListener(RELEASE.name, this.#release);
    Deno.removeSignalListener(ACQUIRE.name, this.#acquire);
  }

  #leave(): void {
    this.#switches.left();
    control(this.#fd, VT_RELDISP, MAY_GO);
  }

  #comeBack(): void {
    control(this.#fd, VT_RELDISP, IS_BACK);
    this.#switches.back();
  }
}

/** Whether a path is a text console that this program may use. */
export function isTextConsole(path: string): boolean {
  const fd = openFile(path, O_RDWR_NOCTTY);
  if (fd < 0) return false;
  try {
    return inFrame((memory) => controlDevice(fd, VT_GETMODE, memory.alloc(VT_MODE.size)) === 0);
  } finally {
    closeDescriptor(fd);
  }
}

function setMode(fd: number, mode: number): boolean {
  return inFrame((memory) => {
    const at = memory.alloc(VT_MODE.size), { view } = memory;
    memory.bytes.fill(0, at, at + VT_MODE.size);
    view.setUint8(at + VT_MODE.mode, mode);
    view.setInt16(at + VT_MODE.released, RELEASE.number, true);
    view.setInt16(at + VT_MODE.acquired, ACQUIRE.number, true);
    return controlDevice(fd, VT_SETMODE, at) === 0;
  });
}

/** Calls ioctl with a number. libdrm has no call for consoles. */
function control(fd: number, request: number, value: number): boolean {
  return callLibc("ioctl", "s:sqq", fd, BigInt(request), BigInt(value)) === 0;
}

const EPERM = 1, EACCES = 13, ENOTTY = 25;

function cannotTake(path: string, errno: number): KmsError {
  const isForbidden = errno === EPERM || errno === EACCES;
  const advice = isForbidden
    ? "; start the program on that console, or as root"
    : errno === ENOTTY
    ? "; it is no text console: name one such as /dev/tty2"
    : "";
  const code = isForbidden ? "permission" : "unsupported";
  return new KmsError(code, `Cannot take the console ${path}: ${errorName(errno)}${advice}`);
}
