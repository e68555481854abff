import { inFrame } from "../../../ffi/arena.ts";
import { otherMemory, type PageFiles } from "../../../ffi/arena_memory.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { writeText } from "../../../loader/codec/values/memory.ts";
import { type Range, union } from "./ranges.ts";

/** Numbers of the system call userfaultfd, by processor. */
const USERFAULTFD: Readonly<Record<string, bigint>> = { x86_64: 323n, aarch64: 282n };
const O_CLOEXEC = 0x80000, F_DUPFD_CLOEXEC = 1030, UFFD_USER_MODE_ONLY = 1;
/** Requests of ioctl. */
const UFFDIO_API = 0xc018aa3fn, UFFDIO_REGISTER = 0xc020aa00n, UFFDIO_UNREGISTER = 0x8010aa01n;
const PAGEMAP_SCAN = 0xc0606610n;
const UFFD_API = 0xaan, REGISTER_WRITE_PROTECT = 2n;
/** Features of Linux 6.7: pages of any memory can be watched, and the system notes writes without a thread's help. */
const FEATURES = 1n << 12n | 1n << 13n | 1n << 15n;
/** Protects the pages that are found again, and refuses memory that is not watched. */
const SCAN_FLAGS = 3n, PAGE_IS_WRITTEN = 2n;
/** Bytes of struct pm_scan_arg, of struct page_region, and how many regions are asked for at a time. */
const SCAN = 96, REGION = 24, REGIONS = 512;

/** Watches the memory that addresses belong to now: this process's, or that of a program whose call is being answered. */
export class PageWatches implements Disposable {
  readonly #own = PageWatch.open();
  readonly #others = new Map<PageFiles, PageWatch | undefined>();

  /** Begins to watch the whole pages of a range; `undefined` if the kernel cannot watch such memory. */
  watch(address: bigint, size: number): WatchedPages | undefined {
    return this.#current()?.watch(address, size);
  }

  /** Ends all watching. */
  close(): void {
    for (const each of [this.#own, ...this.#others.values()]) each?.close();
    this.#others.clear();
  }

  /** Ends all watching at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #current(): PageWatch | undefined {
    const other = otherMemory();
    if (!other) return this.#own;
    const { pages } = other;
    if (pages && this.#own && !this.#others.has(pages)) this.#others.set(pages, this.#own.of(pages));
    return pages && this.#others.get(pages);
  }
}

/** Pages of a process whose writes the kernel notes: userfaultfd with write protection, read with PAGEMAP_SCAN. */
export class PageWatch implements Disposable {
  readonly #fault: number;
  readonly #pagemap: number;
  readonly #call: Calls;

  private constructor(call: Calls, fault: number, pagemap: number) {
    this.#call = call;
    this.#fault = fault;
    this.#pagemap = pagemap;
  }

  /** Asks the kernel; `undefined` if it cannot do that. Call this function outside callbacks. */
  static open(): PageWatch | undefined {
    const call = calls(), number = USERFAULTFD[Deno.build.arch];
    // long syscall(long number, ...)
    const fault = invokeAddress(call.syscall, "s:qq", [number, BigInt(O_CLOEXEC | UFFD_USER_MODE_ONLY)]) as number;
    if (fault < 0) return undefined;
    const pagemap = inFrame((memory) =>
      // int open(const char *, int)
      invokeAddress(call.open, "s:qs", [memory.address(writeText(memory, "/proc/self/pagemap")), O_CLOEXEC]) as number
    );
    return PageWatch.#begun(new PageWatch(call, fault, pagemap));
  }

  /** Watches another process's pages, if the kernel can. */
  of({ fault, pagemap }: PageFiles): PageWatch | undefined {
    const copies = [fault, pagemap].map((each) =>
      // int fcntl(int, int, ...)
      invokeAddress(this.#call.fcntl, "s:sss", [each, F_DUPFD_CLOEXEC, 0]) as number
    );
    return PageWatch.#begun(new PageWatch(this.#call, copies[0], copies[1]));
  }

  static #begun(watch: PageWatch): PageWatch | undefined {
    const isThere = watch.#fault >= 0 && watch.#pagemap >= 0;
    if (isThere && watch.#request(watch.#fault, UFFDIO_API, [UFFD_API, FEATURES, 0n])) return watch;
    watch.close();
  }

  /** Begins to watch the whole pages of a range; `undefined` if the kernel cannot watch such memory. */
  watch(address: bigint, size: number): WatchedPages | undefined {
    const { page } = this.#call,
      start = (address + page - 1n) / page * page,
      end = (address + BigInt(size)) / page * page;
    if (start >= end) return undefined;
    if (!this.#request(this.#fault, UFFDIO_REGISTER, [start, end - start, REGISTER_WRITE_PROTECT, 0n])) {
      return undefined;
    }
    return {
      written: () => this.#written(address, size, start, end),
      close: () => void this.#request(this.#fault, UFFDIO_UNREGISTER, [start, end - start]),
    };
  }

  /** Ends all watching. */
  close(): void {
    for (const each of [this.#fault, this.#pagemap]) {
      if (each >= 0) invokeAddress(this.#call.close, "s:s", [each]); // int close(int)
    }
  }

  /** Ends all watching at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Returns what may have been written since the last call. The pages at both ends may have bytes of others. */
  #written(address: bigint, size: number, start: bigint, end: bigint): Range[] {
    const first = Number(start - address), last = Number(end - address), found = [{ start: 0, end: first }];
    for (let at = start; at < end;) {
      const scanned = this.#scan(at, end);
      if (!scanned) return [{ start: 0, end: size }];
      for (const each of scanned.regions) {
        found.push({ start: Number(each.start - address), end: Number(each.end - address) });
      }
      at = scanned.end;
    }
    return union([...found, { start: last, end: size }]);
  }

  #scan(
    from: bigint,
    to: bigint,
  ): { readonly end: bigint; readonly regions: { start: bigint; end: bigint }[] } | undefined {
    return inFrame((memory) => {
      const at = memory.alloc(SCAN), vector = memory.alloc(REGION * REGIONS), { view } = memory;
      const values = [BigInt(SCAN), SCAN_FLAGS, from, to, 0n, memory.address(vector), BigInt(REGIONS), 0n, 0n];
      [...values, PAGE_IS_WRITTEN, 0n, PAGE_IS_WRITTEN].forEach((each, index) =>
        view.setBigUint64(at + 8 * index, each, true)
      );
      // int ioctl(int, unsigned long, ...)
      const count = invokeAddress(this.#call.ioctl, "s:sqo", [this.#pagemap, PAGEMAP_SCAN, at]) as number;
      const end = view.getBigUint64(at + 32, true);
      if (count < 0 || end <= from) return undefined;
      const regions = Array.from({ length: count }, (_, index) => ({
        start: view.getBigUint64(vector + REGION * index, true),
        end: view.getBigUint64(vector + REGION * index + 8, true),
      }));
      return { end, regions };
    });
  }

  #request(descriptor: number, request: bigint, values: readonly bigint[]): boolean {
    return inFrame((memory) => {
      const at = memory.alloc(8 * values.length), { view } = memory;
      values.forEach((each, index) => view.setBigUint64(at + 8 * index, each, true));
      return invokeAddress(this.#call.ioctl, "s:sqo", [descriptor, request, at]) === 0;
    });
  }
}

/** Watched pages of one range. */
export interface WatchedPages {
  /** Returns what may have been written since the last call, in bytes from the start of the range, in order; at first all. */
  written(): Range[];
  /** Ends the watching. */
  close(): void;
}

/** Addresses of functions of the C library, and the bytes of a page. */
interface Calls {
  readonly syscall: bigint;
  readonly open: bigint;
  readonly close: bigint;
  readonly ioctl: bigint;
  readonly fcntl: bigint;
  readonly page: bigint;
}

function calls(): Calls {
  const [syscall, open, close, ioctl, fcntl] = ["syscall", "open", "close", "ioctl", "fcntl"].map((name) =>
    libcAddress(name)
  );
  return {
    syscall,
    open,
    close,
    ioctl,
    fcntl,
    page: BigInt(invokeAddress(libcAddress("getpagesize"), "s:", []) as number),
  };
}
