import { assert, assertEquals } from "@std/assert";
import { arena, inFrame } from "../../../../ffi/arena.ts";
import { callLibc } from "../../../../ffi/invoke.ts";
import { libc } from "../../../../ffi/libc.ts";
import { readFrom } from "../../../../ffi/machine.ts";
import { codec, structNames, type StructObject } from "../../../../loader/codec/codec.ts";
import { formOf, lengthOf } from "../../../../loader/codec/layout/form.ts";
import type { Field, Layout } from "../../../../loader/codec/layout/layout.ts";
import { LocalPeer } from "../../../../workbench/layer_server/server/local_peer.ts";
import { ProgramMemory } from "../../../../workbench/layer_server/server/program_memory.ts";
import { contextOf } from "../../../../loader/layers/define/context.ts";

const PAGE = 4096, READ_WRITE = 3, PRIVATE_ANONYMOUS = 0x22;
/** Counts for which nothing has room: the most, the most with a sign, one that V8 would make room for, and a small one. */
const COUNTS = [0xffff_ffff, 0x7fff_ffff, 30_000_000, 100_000];
/** Offset of a struct that another one points to. */
const INNER = PAGE / 4, POINTERS = INNER - 8;

/** An array with the member that counts its elements. */
interface Counted {
  readonly layout: Layout;
  readonly array: Field;
  readonly count: Field;
}

/** A struct that contains or points to another one with a counted array. */
interface Outer {
  readonly layout: Layout;
  readonly field: Field;
  readonly inner: Counted;
}

const layouts = structNames().map((name) => codec(name).layout);
const arrays: readonly Counted[] = layouts.flatMap((layout) =>
  layout.fields.flatMap((array) => {
    const length = lengthOf(layout, array), counter = length?.count || length?.bytes;
    const count = layout.fields.find(({ name, size }) => name === counter && size >= 4);
    return array.stars > 0 && formOf(layout, array) !== "address" && count ? [{ layout, array, count }] : [];
  })
);
const outers: readonly Outer[] = layouts.flatMap((layout) =>
  layout.fields.flatMap((field) => {
    const isPlain = !layout.union && field.kind === "struct" && formOf(layout, field) !== "address";
    return isPlain
      ? arrays.filter((inner) => inner.layout.name === field.type).map((inner) => ({ layout, field, inner }))
      : [];
  })
);

/** The memory of a program, which is this process: a page with nothing before and behind. */
class Page implements Disposable {
  readonly address: bigint;
  readonly #memory = new ProgramMemory(new LocalPeer(Deno.pid));
  readonly #mapped: bigint;
  readonly #view: DataView<ArrayBuffer>;

  constructor() {
    const mapped = libc().mmap(0n, BigInt(3 * PAGE), READ_WRITE, PRIVATE_ANONYMOUS, -1, 0n);
    for (const at of [0, 2 * PAGE]) callLibc("mprotect", "s:qqs", mapped + BigInt(at), BigInt(PAGE), 0);
    this.#mapped = mapped;
    this.address = mapped + BigInt(PAGE);
    this.#view = new DataView(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(this.address)!, PAGE));
  }

  /** Writes a struct whose array has `number` elements at an address. All other members are 0. */
  putCounted({ layout, array, count }: Counted, at: number, number: number, address: bigint): void {
    this.#put(layout, at);
    if (count.size === 8) this.#view.setBigUint64(at + count.offset, BigInt(number), true);
    else this.#view.setUint32(at + count.offset, number, true);
    this.#view.setBigUint64(at + array.offset, address, true);
  }

  /** Writes a struct with another one in or behind a member. */
  putOuter({ layout, field, inner }: Outer, number: number, address: bigint): void {
    this.#put(layout, 0);
    const form = formOf(layout, field), isInside = field.stars === 0, at = isInside ? field.offset : INNER;
    this.putCounted(inner, at, number, address);
    if (isInside) return;
    const count = layout.fields.find(({ name }) => name === lengthOf(layout, field)?.count);
    if (count) this.#view.setUint8(count.offset, 1);
    this.#view.setBigUint64(POINTERS, this.address + BigInt(INNER), true);
    this.#view.setBigUint64(field.offset, this.address + BigInt(form === "pointers" ? POINTERS : INNER), true);
  }

  #put({ sType, size }: Layout, at: number): void {
    new Uint8Array(this.#view.buffer, at, size).fill(0);
    if (sType >= 0) this.#view.setInt32(at, sType, true);
  }

  /** Reads the struct at the page's beginning as a hook does. Returns the error's text if that is refused. */
  read(name: string): StructObject | string {
    const context = contextOf(() => ({ name: "" }), {} as never), before = readFrom(this.#memory);
    this.#memory.forget();
    try {
      return inFrame(() => context.read(name as "VkExtent2D", this.address)) as unknown as StructObject;
    } catch (error) {
      return String(error);
    } finally {
      readFrom(before);
    }
  }

  [Symbol.dispose](): void {
    this.#memory.close();
    libc().munmap(this.#mapped, BigInt(3 * PAGE));
  }
}

/** Whether an array was not followed: another member says that the pointer is ignored, or a payload is too large to copy. */
function isLeft(member: unknown): boolean {
  return member === null || typeof member === "bigint";
}

/** Puts structs with each of the counts, and arrays at different places, and reads them. */
function readings<Item>(
  page: Page,
  items: readonly Item[],
  put: (item: Item, number: number, address: bigint) => string,
  check: (item: Item, found: StructObject | string) => boolean,
): { wrong: string[]; refused: number } {
  const places = {
    "the page": page.address + BigInt(PAGE / 2),
    "shared memory": arena().address(PAGE),
    nowhere: 4096n,
  };
  const wrong: string[] = [];
  let refused = 0;
  for (const item of items) {
    for (const [place, address] of Object.entries(places)) {
      for (const number of COUNTS) {
        const name = put(item, number, address), found = page.read(name);
        if (typeof found === "string" && /^TypeError: Cannot (reach|read) |^RangeError: Arena is full/.test(found)) {
          refused++;
        } else if (!check(item, found)) wrong.push(`${name}, ${number} at ${place}: ${found}`);
      }
    }
  }
  return { wrong, refused };
}

Deno.test("a hook is refused a struct of a program whose count nothing has room for, for each of the counted arrays", () => {
  using page = new Page();
  const { wrong, refused } = readings(
    page,
    arrays,
    (each, number, address) => {
      page.putCounted(each, 0, number, address);
      return each.layout.name;
    },
    ({ array }, found) => typeof found === "object" && isLeft(found[array.name]),
  );
  assertEquals(wrong, []);
  assert(refused > 10 * arrays.length, `${refused} of ${arrays.length} arrays`);
});

Deno.test("a hook is refused a struct of a program that contains or points to one with such a count", () => {
  using page = new Page();
  const { wrong, refused } = readings(
    page,
    outers,
    (each, number, address) => {
      page.putOuter(each, number, address);
      return each.layout.name;
    },
    ({ field, inner }, found) => {
      if (typeof found === "string") return false;
      const struct = [found[field.name]].flat()[0] as StructObject | null;
      return struct === null || isLeft(struct[inner.array.name]);
    },
  );
  assertEquals(wrong, []);
  assert(refused > 9 * outers.length, `${refused} of ${outers.length} structs`);
});
