import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { openBlocks } from "../../../ffi/block.ts";
import { arena } from "../../../ffi/arena.ts";
import { codec, type StructObject, structsAt } from "../../../loader/codec/codec.ts";
import { BIND_SPARSE, SUBMIT, SubmitRewriter } from "../../../wsi/adaptor/submit_rewriter.ts";
import { VirtualSemaphores } from "../../../wsi/adaptor/virtual_semaphores.ts";

/** Semaphores 1 to 4 are virtual, 5 is a timeline of the application's, 6 is binary and exported. */
const VIRTUAL = [1n, 2n, 3n, 4n], TIMELINE = 5n, BINARY = 6n;
const ANY = [...VIRTUAL, TIMELINE, BINARY];
const TIMELINE_INFO = 1000207003, GROUP_INFO = 1000060005, PROTECTED_INFO = 1000145000;

/** An operation that waits for or signals a semaphore; the value counts for timelines alone. */
interface Operation {
  readonly semaphore: bigint;
  readonly value: bigint;
}
interface Submission {
  readonly waits: readonly Operation[];
  readonly signals: readonly Operation[];
  /** The structs in the chain, in this order; "values" is needed by those that have timelines. */
  readonly chain: readonly ("group" | "values" | "protected")[];
}

const operations = fc.array(
  fc.record({ semaphore: fc.constantFrom(...ANY), value: fc.bigInt({ min: 1n, max: 1n << 40n }) }),
  { maxLength: 4 },
);
const submissions = fc.array(
  fc.record({
    waits: operations,
    signals: operations,
    chain: fc.constantFrom<Submission["chain"]>([], ["group"], ["values"], ["group", "values", "protected"], [
      "values",
      "group",
    ]),
  }),
  { minLength: 1, maxLength: 6 },
);

/** The right operations: handles, and values of virtual semaphores and timelines. */
function expected(counts: Map<bigint, bigint>, { waits, signals, chain }: Submission) {
  const given = ({ semaphore, value }: Operation) => chain.includes("values") && semaphore === TIMELINE ? value : 0n;
  return {
    waits: waits.map((each) => [each.semaphore, counts.get(each.semaphore) ?? given(each)]),
    signals: signals.map((each) => {
      const count = counts.get(each.semaphore);
      if (count === undefined) return [each.semaphore, given(each)];
      counts.set(each.semaphore, count + 1n);
      return [each.semaphore, count + 1n];
    }),
  };
}

function link(kind: Submission["chain"][number], { waits, signals }: Submission): StructObject {
  if (kind === "protected") return { sType: PROTECTED_INFO, protectedSubmit: false };
  if (kind === "group") return { sType: GROUP_INFO, pWaitSemaphoreDeviceIndices: waits.map((_, index) => index) };
  return {
    sType: TIMELINE_INFO,
    pWaitSemaphoreValues: waits.map(({ value }) => value),
    pSignalSemaphoreValues: signals.map(({ value }) => value),
  };
}

const handles = (list: readonly Operation[]) => list.map(({ semaphore }) => semaphore);

function submitInfo(each: Submission): StructObject {
  return {
    pWaitSemaphores: handles(each.waits),
    pWaitDstStageMask: each.waits.map(() => 1),
    pSignalSemaphores: handles(each.signals),
    pNext: each.chain.map((kind) => link(kind, each)),
  };
}

/** The operations of a VkSubmitInfo or VkBindSparseInfo, values of binary semaphores left out. */
function said(info: StructObject) {
  const values = (info.pNext as StructObject[]).filter(({ sType }) => sType === TIMELINE_INFO);
  assertEquals(values.length <= 1, true);
  const pair = (name: "Wait" | "Signal") => {
    const given = values[0]?.[`p${name}SemaphoreValues`] as bigint[] | undefined;
    return (info[`p${name}Semaphores`] as bigint[] ?? []).map((
      semaphore,
      index,
    ) => [semaphore, semaphore === BINARY ? 0n : given?.[index] ?? 0n]);
  };
  return { waits: pair("Wait"), signals: pair("Signal") };
}

function written(name: string, values: readonly StructObject[]): bigint {
  const { size, encode } = codec(name), memory = arena(), at = memory.alloc(size * values.length);
  values.forEach((value, index) => encode(value, at + size * index));
  return memory.address(at);
}

/** Runs `use` with semaphores and a rewriter, in arena memory that is freed afterwards. */
function withRewriter(use: (semaphores: VirtualSemaphores, rewriter: SubmitRewriter) => void): void {
  const semaphores = new VirtualSemaphores(), rewriter = new SubmitRewriter(semaphores), mark = arena().mark();
  for (const each of VIRTUAL) semaphores.add(each);
  try {
    use(semaphores, rewriter);
  } finally {
    rewriter.close();
    arena().release(mark);
  }
}

const hasVirtual = (list: readonly Submission[]) =>
  list.some(({ waits, signals }) => [...waits, ...signals].some(({ semaphore }) => VIRTUAL.includes(semaphore)));

for (const [name, shape] of [["VkSubmitInfo", SUBMIT], ["VkBindSparseInfo", BIND_SPARSE]] as const) {
  Deno.test(`rewrite() gives operations of ${name} the values that they have one after the other`, () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(submissions, fc.boolean()), { maxLength: 4 }), (calls) => {
        withRewriter((semaphores, rewriter) => {
          let counts = new Map(VIRTUAL.map((each) => [each, 0n]));
          for (const [list, isSubmitted] of calls) {
            const infos = list.map(submitInfo).map(({ pWaitDstStageMask, ...info }) =>
              name === "VkSubmitInfo" ? { ...info, pWaitDstStageMask } : info
            );
            const before = new Map(counts),
              at = written(name, infos),
              changed = rewriter.rewrite(shape, list.length, at);
            assertEquals(changed !== at, hasVirtual(list));
            const found = structsAt(name, changed, list.length);
            assertEquals(found.map(said), list.map((each) => expected(counts, each)));
            found.forEach((info, index) => assertEquals(others(info), others(infos[index])));
            assertEquals(structsAt(name, at, list.length).map(others), infos.map(others)); // the application's own is as it was
            semaphores.settle(isSubmitted);
            if (!isSubmitted) counts = before;
          }
        });
      }),
      { numRuns: 150 },
    );
  });
}

/** The other structs of a chain, in order. */
function others(info: StructObject): unknown[] {
  const chain = info.pNext as StructObject[] ?? [];
  return chain.filter(({ sType }) => sType !== TIMELINE_INFO).map((
    { sType, pWaitSemaphoreDeviceIndices },
  ) => [sType, (pWaitSemaphoreDeviceIndices as number[] | undefined) ?? []]);
}

Deno.test("rewrite2() gives operations of VkSubmitInfo2 the values that they have one after the other", () => {
  fc.assert(
    fc.property(fc.array(submissions, { maxLength: 4 }), (calls) => {
      withRewriter((semaphores, rewriter) => {
        const counts = new Map(VIRTUAL.map((each) => [each, 0n]));
        for (const list of calls) {
          const infoOf = ({ semaphore, value }: Operation, index: number) => ({
            semaphore,
            value: semaphore === TIMELINE ? value : 0n,
            stageMask: BigInt(index + 1),
            deviceIndex: index,
          });
          const infos = list.map(({ waits, signals }) => ({
            pWaitSemaphoreInfos: waits.map(infoOf),
            pSignalSemaphoreInfos: signals.map(infoOf),
          }));
          const at = written("VkSubmitInfo2", infos), changed = rewriter.rewrite2(list.length, at);
          assertEquals(changed !== at, hasVirtual(list));
          const said2 = (each: StructObject[]) => each.map(({ semaphore, value }) => [semaphore, value]);
          const found = structsAt("VkSubmitInfo2", changed, list.length) as Record<string, StructObject[]>[];
          assertEquals(
            found.map((info) => ({
              waits: said2(info.pWaitSemaphoreInfos ?? []),
              signals: said2(info.pSignalSemaphoreInfos ?? []),
            })),
            list.map((each) => expected(counts, { ...each, chain: ["values"] })),
          );
          for (const info of found) {
            assertEquals(
              (info.pWaitSemaphoreInfos ?? []).map(({ deviceIndex }) => deviceIndex),
              (info.pWaitSemaphoreInfos ?? []).map((_, index) => index),
            );
          }
          semaphores.settle(true);
        }
      });
    }),
    { numRuns: 150 },
  );
});

Deno.test("rewrite() uses an imported payload for a semaphore once, or permanently", () => {
  const before = openBlocks();
  withRewriter((semaphores, rewriter) => {
    const [one, two] = [semaphores.get(1n)!, semaphores.get(2n)!],
      wait = { pWaitSemaphores: [1n, 2n], pWaitDstStageMask: [1, 1] };
    one.shadow = 101n;
    one.imported = "temporary";
    two.shadow = 102n;
    two.imported = "permanent";
    const waited = () => {
      const changed = rewriter.rewrite(SUBMIT, 1, written("VkSubmitInfo", [wait]));
      return structsAt("VkSubmitInfo", changed, 1)[0].pWaitSemaphores;
    };
    assertEquals(waited(), [101n, 102n]);
    semaphores.settle(false);
    assertEquals(waited(), [101n, 102n]); // the submission failed: nothing has happened
    semaphores.settle(true);
    assertEquals(waited(), [1n, 102n]);
    semaphores.settle(true);
    const signal = rewriter.rewrite(SUBMIT, 1, written("VkSubmitInfo", [{ pSignalSemaphores: [1n, 2n] }]));
    assertEquals(structsAt("VkSubmitInfo", signal, 1)[0].pSignalSemaphores, [1n, 102n]);
    semaphores.settle(true);
    assertEquals([one.count, two.count], [1, 0]);
  });
  assertEquals(openBlocks(), before);
});
