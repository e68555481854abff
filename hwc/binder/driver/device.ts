import { inFrame } from "../../../ffi/arena.ts";
import type { NativeBlock } from "../../../ffi/block.ts";
import { closeDescriptor, controlDevice, errorName, lastError, openFile } from "../../../ffi/file/file_descriptor.ts";
import { libc } from "../../../ffi/libc.ts";
import { failWith, STATUS } from "../status.ts";
import { BR, IOCTL, PROTOCOL, READ_SIZE, WRITE_READ } from "./uapi.ts";

const O_RDWR_NONBLOCK = 0o4002, PROT_READ = 1, MAP_PRIVATE_NORESERVE = 0x4002, MAP_FAILED = 0xffff_ffff_ffff_ffffn;
const EPERM = 1, ENOENT = 2, ENXIO = 6, EAGAIN = 11, EACCES = 13, EBUSY = 16, ENODEV = 19, EISDIR = 21, ENOTTY = 25;
const EINTR = 4;
/** Android's size: 1 MiB less two pages. A message larger than the free part of it does not come through. */
const MAP_SIZE = (1 << 20) - 2 * 4096;

const NOTHING = new Uint8Array(0);

/** The driver's returns to this thread. */
export interface Returns {
  readonly bytes: Uint8Array;
  /** The failure of a transaction, a negative errno; 0 if none failed, or if the kernel does not tell. */
  readonly error: number;
}

/** An open device of the kernel's binder, with the memory that messages come in. */
export class Device {
  /** The device. */
  readonly fd: number;
  /** The path it was opened by. */
  readonly path: string;
  /** Address of the memory that messages come in. */
  readonly address: bigint;
  /** The memory of incoming messages, which only the kernel may write. */
  readonly view: DataView;
  #isOpen = true;

  /** Opens a device, or that named `binder` in a folder. Throws a {@linkcode BinderStatusError} that says what to do. */
  constructor(path: string) {
    this.path = path;
    this.fd = openDevice(path);
    try {
      checkProtocol(this.fd, path);
      this.address = mapDevice(this.fd, path);
    } catch (error) {
      closeDescriptor(this.fd);
      throw error;
    }
    const pointer = Deno.UnsafePointer.create(this.address)!;
    this.view = new DataView(Deno.UnsafePointerView.getArrayBuffer(pointer, MAP_SIZE));
  }

  /** Writes commands to which the driver has nothing to say. */
  write(commands: Uint8Array): void {
    inFrame((memory) => {
      const at = memory.alloc(commands.length), request = memory.alloc(WRITE_READ.size);
      memory.bytes.set(commands, at);
      this.#exchange(memory.view, request, memory.address(at), commands.length, 0n, 0);
    });
  }

  /**
   * Writes a command, if there is one, behind others that wait, and returns what the driver has for this thread: all by one
   * request.
   */
  exchange(block?: NativeBlock, length = 0, before: Uint8Array = NOTHING): Returns {
    return inFrame((memory) => {
      const read = memory.alloc(READ_SIZE), request = memory.alloc(WRITE_READ.size);
      const size = before.length + length, write = memory.alloc(size);
      memory.bytes.set(before, write);
      if (block) memory.bytes.set(block.bytes.subarray(0, length), write + before.length);
      const count = this.#exchange(memory.view, request, memory.address(write), size, memory.address(read), READ_SIZE);
      const bytes = memory.bytes.slice(read, read + count);
      return { bytes, error: this.#extendedError(bytes) };
    });
  }

  /** Makes a node of this process the one that everybody finds as handle 0. */
  becomeContextManager(id: bigint): void {
    inFrame((memory) => {
      const at = memory.alloc(24);
      memory.bytes.fill(0, at, at + 24);
      memory.view.setUint32(at + 4, 0x100, true); // file descriptors are welcome; contexts of a security module are not asked for
      memory.view.setBigUint64(at + 8, id, true);
      memory.view.setBigUint64(at + 16, id, true);
      if (controlDevice(this.fd, IOCTL.SET_CONTEXT_MGR_EXT, at) >= 0) return;
      const errno = lastError();
      if (errno === EBUSY) failWith(STATUS.ALREADY_EXISTS, `${this.path} has a service manager already: use that one`);
      if (errno === EPERM) {
        failWith(STATUS.PERMISSION_DENIED, `${this.path} had a service manager of another user: become that user`);
      }
      failWith(STATUS.INVALID_OPERATION, `${this.path} takes no service manager: ${errorName(errno)}`);
    });
  }

  /** Closes the device: the kernel ends all calls and objects of it. A second call does nothing. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    (this.view.buffer as ArrayBuffer).transfer(0);
    libc().munmap(this.address, BigInt(MAP_SIZE));
    closeDescriptor(this.fd);
  }

  #exchange(view: DataView, request: number, write: bigint, length: number, read: bigint, room: number): number {
    let consumed = 0;
    do {
      view.setBigUint64(request + WRITE_READ.writeSize, BigInt(length - consumed), true);
      view.setBigUint64(request + WRITE_READ.writeConsumed, 0n, true);
      view.setBigUint64(request + WRITE_READ.writeBuffer, write + BigInt(consumed), true);
      view.setBigUint64(request + WRITE_READ.readSize, BigInt(room), true);
      view.setBigUint64(request + WRITE_READ.readConsumed, 0n, true);
      view.setBigUint64(request + WRITE_READ.readBuffer, read, true);
      const errno = controlDevice(this.fd, IOCTL.WRITE_READ, request) < 0 ? lastError() : 0;
      if (errno !== 0 && errno !== EAGAIN && errno !== EINTR) {
        failWith(STATUS.UNKNOWN_ERROR, `${this.path} refuses a command: ${errorName(errno)}`);
      }
      // The driver takes the written part even if it answers EAGAIN.
      consumed += Number(view.getBigUint64(request + WRITE_READ.writeConsumed, true));
    } while (consumed < length);
    return Number(view.getBigUint64(request + WRITE_READ.readConsumed, true));
  }

  #extendedError(bytes: Uint8Array): number {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + 4 <= bytes.length; at += 4 + (view.getUint32(at, true) >>> 16 & 0x3fff)) {
      if (view.getUint32(at, true) === BR.FAILED_REPLY) return extendedError(this.fd);
    }
    return 0;
  }
}

function extendedError(fd: number): number {
  return inFrame((memory) => {
    const at = memory.alloc(12);
    memory.bytes.fill(0, at, at + 12);
    return controlDevice(fd, IOCTL.GET_EXTENDED_ERROR, at) < 0 ? 0 : memory.view.getInt32(at + 8, true);
  });
}

function openDevice(path: string): number {
  let fd = openFile(path, O_RDWR_NONBLOCK), errno = fd < 0 ? lastError() : 0;
  if (errno === EISDIR) {
    fd = openFile(`${path}/binder`, O_RDWR_NONBLOCK);
    errno = fd < 0 ? lastError() : 0;
  }
  if (fd >= 0) return fd;
  if (errno === ENOENT) {
    failWith(STATUS.NAME_NOT_FOUND, `there is no ${path}: load the kernel's module binder_linux or mount a binderfs`);
  }
  if (errno === ENXIO || errno === ENODEV) {
    failWith(STATUS.NAME_NOT_FOUND, `the kernel has no binder behind ${path}: load its module binder_linux`);
  }
  if (errno === EACCES || errno === EPERM) {
    failWith(STATUS.PERMISSION_DENIED, `this user may not open ${path}: run as root, or give the device another mode`);
  }
  failWith(STATUS.INVALID_OPERATION, `cannot open ${path}: ${errorName(errno)}`);
}

function checkProtocol(fd: number, path: string): void {
  const version = inFrame((memory) => {
    const at = memory.alloc(4);
    return controlDevice(fd, IOCTL.VERSION, at) < 0 ? -lastError() : memory.view.getInt32(at, true);
  });
  if (version === PROTOCOL) return;
  if (version === -ENOTTY || version < 0) failWith(STATUS.BAD_TYPE, `${path} is no device of binder: name /dev/binder`);
  failWith(STATUS.BAD_TYPE, `${path} speaks protocol ${version} of binder: ${PROTOCOL} is needed, of a 64-bit kernel`);
}

function mapDevice(fd: number, path: string): bigint {
  const address = libc().mmap(0n, BigInt(MAP_SIZE), PROT_READ, MAP_PRIVATE_NORESERVE, fd, 0n);
  if (address === MAP_FAILED) failWith(STATUS.NO_MEMORY, `cannot map ${path}: ${errorName(lastError())}`);
  return address;
}
