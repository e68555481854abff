import { checkOptions, type OptionRules, text } from "../../../ffi/check_options.ts";
import { inFrame } from "../../../ffi/arena.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { closeDescriptor, errorName, lastError, openFile } from "../../../ffi/file/file_descriptor.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { KmsError } from "../kms_error.ts";
import type { AtomicState } from "./commit.ts";
import type { CardCapabilities, CardConnector, CardCrtc, CardPlane, KmsCard } from "./facts.ts";
import { LibDrm } from "./libdrm.ts";
import { type ObjectNumbers, readConnector, readCrtc, readNumbers, readPlane } from "./read_objects.ts";

/** The library in front of the kernel. */
const LIBDRM = "libdrm.so.2";
const O_RDWR = 2, ENOENT = 2, EACCES = 13, EPERM = 1, MOST_CARDS = 64;
/** `DRM_CLIENT_CAP_…`: what a client says that it can do. */
const CLIENT = { UNIVERSAL_PLANES: 2n, ATOMIC: 3n, WRITEBACK_CONNECTORS: 5n, CURSOR_PLANE_HOTSPOT: 6n };
/** `DRM_CAP_…`: what a card says that it can do. */
const CAPABILITY = { PRIME: 5n, CURSOR_WIDTH: 8n, CURSOR_HEIGHT: 9n, ADDFB2_MODIFIERS: 0x10n };
const PRIME_IMPORT = 1n;
/** The name in a `drmVersion`. */
const VERSION_NAME = 16n;

/** The choice of a card. */
export interface CardOptions {
  /** The card's device file, such as `/dev/dri/card0`. Default: the first card that can set modes. */
  readonly path?: string;
  /** The kernel driver of the card, such as `vkms` or `i915`: the first card with that driver. */
  readonly driver?: string;
  /** The path or name of libdrm. Default `"libdrm.so.2"`. */
  readonly libdrm?: string;
}

const RULES: OptionRules<CardOptions> = {
  path: text("a path"),
  driver: text("a driver's name"),
  libdrm: text("a path"),
};

/** Checks which card to open. Throws a `TypeError` about the first option that makes no sense. */
export function checkCardOptions(what: string, options: CardOptions): void {
  checkOptions(what, options, RULES);
}

/** An open card, with what only this floor uses. */
export class OpenCard implements KmsCard {
  /** The device file. */
  readonly path: string;
  /** The kernel driver, such as `vkms`. */
  readonly driver: string;
  /** The card's abilities. */
  readonly capabilities: CardCapabilities;
  /** The CRTCs, in the kernel's order. */
  readonly crtcs: readonly CardCrtc[];
  /** The planes, in the kernel's order. */
  readonly planes: readonly CardPlane[];
  /** Ends what uses the card, before the card is closed. */
  closing: (() => void) | undefined;
  readonly #drm: LibDrm;
  readonly #numbers: ObjectNumbers;
  #fd: number;
  #reigns = 0;
  #isLent = false;
  #connectors: readonly CardConnector[];

  /** Takes an open device and reads what the card has. Throws a {@linkcode KmsError}; the caller then closes both. */
  constructor(drm: LibDrm, fd: number, path: string) {
    this.#drm = drm;
    this.#fd = fd;
    this.path = path;
    this.driver = driverOf(drm, fd, path);
    this.#numbers = claim(drm, fd, path, this.driver);
    const { crtcs, planes } = this.#numbers;
    this.capabilities = capabilitiesOf(drm, fd);
    this.crtcs = crtcs.map((id) => readCrtc(drm, fd, id));
    this.planes = planes.flatMap((id) => readPlane(drm, fd, id, crtcs) ?? []);
    this.#connectors = this.#readConnectors();
  }

  /** The connectors, as they were at the last {@linkcode OpenCard.refresh}. */
  get connectors(): readonly CardConnector[] {
    return this.#connectors;
  }

  /** Whether this process may set modes: the first that opens a card, until another program takes over. */
  get isMaster(): boolean {
    return this.#drm.int("drmIsMaster", this.fd) === 1;
  }

  /** The file descriptor. Throws a {@linkcode KmsError} `closed`. */
  get fd(): number {
    if (this.#fd >= 0) return this.#fd;
    throw new KmsError("closed", `Cannot use ${this.path}: the card is closed; open it again`);
  }

  /** The library in front of the kernel. */
  get drm(): LibDrm {
    return this.#drm;
  }

  /** Reads the connectors again, which asks the displays. */
  refresh(): void {
    this.#connectors = this.#readConnectors();
  }

  /** Becomes master. Throws a {@linkcode KmsError} `not-master` while another program is. */
  takeMaster(): void {
    if (this.tryMaster()) return;
    throw new KmsError("not-master", `Cannot set modes on ${this.path}: another program does; ${ADVICE_MASTER}`);
  }

  /** Becomes master, unless another program is. Returns whether this process is master now. */
  tryMaster(): boolean {
    if (this.isMaster) return true;
    this.#reigns++;
    return this.#drm.int("drmSetMaster", this.fd) === 0;
  }

  /** Lets another program set modes. */
  dropMaster(): void {
    this.#reigns++;
    this.#drm.int("drmDropMaster", this.fd);
  }

  /** Commits values of properties. Returns 0, or the kernel's negative error number. `user` comes back with the event. */
  commit(state: AtomicState, flags: number, user?: bigint): number {
    return state.commit(this.#drm, this.fd, flags, user);
  }

  /** The number of times that this process became or ceased to be master: another program may set everything then. */
  get reigns(): number {
    return this.#reigns;
  }

  /** Whether the card was given away, for as long as another console is shown: frames are seen by nobody. */
  get isLent(): boolean {
    return this.#isLent;
  }

  /** Gives the card away until {@linkcode OpenCard.takeBack}. */
  lend(): void {
    this.#isLent = true;
    this.dropMaster();
  }

  /** Becomes master again, unless another program still is. */
  takeBack(): void {
    this.#isLent = false;
    this.tryMaster();
  }

  /** Makes a blob of bytes, and returns its number. Throws a {@linkcode KmsError} `refused`. */
  createBlob(bytes: Uint8Array<ArrayBuffer>): number {
    return inFrame((memory) => {
      const at = memory.place(bytes), id = memory.alloc(4);
      const result = this.#drm.int(
        "drmModeCreatePropertyBlob",
        this.fd,
        Number(at - memory.base),
        BigInt(bytes.length),
        id,
      );
      if (result === 0) return memory.view.getUint32(id, true);
      throw new KmsError("refused", `Cannot make a blob of ${bytes.length} bytes: ${errorName(-result)}`);
    });
  }

  /** Frees a blob; what uses it keeps it. */
  destroyBlob(id: number): void {
    this.#drm.int("drmModeDestroyPropertyBlob", this.fd, id);
  }

  /** Closes the card. A second call does nothing. */
  close(): void {
    const end = this.closing;
    this.closing = undefined;
    end?.();
    if (this.#fd < 0) return;
    closeDescriptor(this.#fd);
    this.#fd = -1;
    this.#drm.close();
  }

  /** Closes the card at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #readConnectors(): CardConnector[] {
    const { connectors, crtcs } = this.#numbers;
    return connectors.flatMap((id) => readConnector(this.#drm, this.fd, id, crtcs) ?? []);
  }
}

const ADVICE_MASTER = "end that program, or switch to another console";

/**
 * Opens a card for mode setting. Needs `--allow-ffi` alone; the system wants the user in the group `video`, or root.
 * Throws a {@linkcode KmsError} that says which cards there are, or what is missing.
 *
 * @example
 * ```ts ignore
 * import { openCard } from "@pumice/gfx/hwc";
 *
 * using card = openCard({ driver: "vkms" });
 * console.log(card.path);
 * ```
 */
export function openCard(options: CardOptions = {}): KmsCard {
  return openWhole(options);
}

/** Opens a card for this floor. Throws as {@linkcode openCard} does. */
export function openWhole(options: CardOptions = {}): OpenCard {
  checkCardOptions("openCard()", options);
  const { path, driver, libdrm = LIBDRM } = options;
  const refusals: string[] = [];
  for (const candidate of path === undefined ? cardPaths() : [path]) {
    const found = tryCard(candidate, driver, libdrm);
    if (found instanceof OpenCard) return found;
    if (path !== undefined) throw found;
    refusals.push(found.sentence);
  }
  const wanted = driver === undefined ? "a card" : `a card with the driver "${driver}"`;
  const found = refusals.length > 0 ? refusals.join("; ") : "there is no /dev/dri/card0: this machine has no card";
  throw new KmsError("no-card", `Cannot open ${wanted}: ${found}`);
}

/** The device files of cards; those that nobody may open are among them. */
function cardPaths(): string[] {
  return Array.from({ length: MOST_CARDS }, (_, index) => `/dev/dri/card${index}`).filter((path) => {
    const fd = openFile(path, O_RDWR), isThere = fd >= 0 || lastError() !== ENOENT;
    closeDescriptor(fd);
    return isThere;
  });
}

function tryCard(path: string, driver: string | undefined, libdrm: string): OpenCard | KmsError {
  const drm = new LibDrm(libdrm), fd = openFile(path, O_RDWR);
  try {
    if (fd < 0) throw cannotOpen(path, lastError());
    const found = driverOf(drm, fd, path);
    if (driver !== undefined && found !== driver) throw new KmsError("no-card", `${path} has the driver "${found}"`);
    return new OpenCard(drm, fd, path);
  } catch (error) {
    closeDescriptor(fd);
    drm.close();
    if (error instanceof KmsError) return error;
    throw error;
  }
}

function cannotOpen(path: string, errno: number): KmsError {
  if (errno === ENOENT) return new KmsError("no-card", `Cannot open ${path}: there is no such card`);
  const isForbidden = errno === EACCES || errno === EPERM;
  const advice = isForbidden ? "; add yourself to the group `video`, log in again, or be root" : "";
  return new KmsError(isForbidden ? "permission" : "no-card", `Cannot open ${path}: ${errorName(errno)}${advice}`);
}

function driverOf(drm: LibDrm, fd: number, path: string): string {
  const name = drm.read("drmGetVersion", [fd], "drmFreeVersion", (at) => readCString(peek64(at + VERSION_NAME)));
  if (name !== undefined) return name;
  throw new KmsError(
    "unsupported",
    `Cannot open ${path}: it is no card, since no graphics driver of the kernel has it`,
  );
}

/** Says what this client can do, so that the card shows all planes; returns the numbers of the card's objects. */
function claim(drm: LibDrm, fd: number, path: string, driver: string): ObjectNumbers {
  const can = (capability: bigint) => drm.int("drmSetClientCap", fd, capability, 1n) === 0;
  if (!can(CLIENT.UNIVERSAL_PLANES) || !can(CLIENT.ATOMIC)) {
    const sentence = `${path} (${driver}) cannot set modes atomically: use a card whose driver does`;
    throw new KmsError("unsupported", sentence);
  }
  can(CLIENT.WRITEBACK_CONNECTORS);
  can(CLIENT.CURSOR_PLANE_HOTSPOT); // virtual cards hide the cursor's plane from clients that do not know its hot spot
  const numbers = readNumbers(drm, fd);
  if (numbers && numbers.crtcs.length > 0) return numbers;
  throw new KmsError("unsupported", `${path} (${driver}) has no CRTC: it draws and shows nothing`);
}

function capabilitiesOf(drm: LibDrm, fd: number): CardCapabilities {
  const of = (capability: bigint) =>
    inFrame((memory) => {
      const at = memory.alloc(8);
      return drm.int("drmGetCap", fd, capability, at) === 0 ? memory.view.getBigUint64(at, true) : 0n;
    });
  return {
    cursor: { width: Number(of(CAPABILITY.CURSOR_WIDTH)), height: Number(of(CAPABILITY.CURSOR_HEIGHT)) },
    modifiers: of(CAPABILITY.ADDFB2_MODIFIERS) === 1n,
    imports: (of(CAPABILITY.PRIME) & PRIME_IMPORT) !== 0n,
  };
}
