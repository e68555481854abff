import { peek64, poke32 } from "../../ffi/machine.ts";
import { structAt, type StructObject } from "../codec/codec.ts";
import { VK_ERROR_OUT_OF_POOL_MEMORY } from "../gen/enums_core_gen.js";
import { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO } from "../gen/enums_stype_gen.js";
import type { AnyHook } from "../layer.ts";
import { INNER } from "../layers/define/device_changes.ts";
import { SET_RULES, setLayoutOf } from "./descriptor_limits.ts";
import { firstBeyond, refuseBeyond } from "./limit_rules.ts";
import type { DescriptorPool, DeviceAccount } from "./device_account.ts";
import type { Twin } from "./twin.ts";

/** Descriptors by type. */
type Counts = ReadonlyMap<number, number>;

/**
 * Makes the hooks that refuse sets for which a pool has no room. Many drivers
 * give more than they were asked to hold, so that a program works on them and
 * fails on a phone.
 */
export function poolHooks(twin: Twin): Record<string, AnyHook> {
  return {
    ...layoutHooks(twin),
    vkCreateDescriptorPool(next, device, info, allocator, out) {
      const result = next(device, info, allocator, out);
      if (result >= 0) {
        twin.account(device)?.pools.set(peek64(out), poolOf(structAt("VkDescriptorPoolCreateInfo", info)));
      }
      return result;
    },
    vkDestroyDescriptorPool(next, device, pool, allocator) {
      next(device, pool, allocator);
      twin.account(device)?.pools.delete(pool);
    },
    vkResetDescriptorPool(next, device, handle, flags) {
      const result = next(device, handle, flags), pool = twin.account(device)?.pools.get(handle);
      if (pool) { for (const set of [...pool.taken.keys()]) giveBack(pool, set); }
      return result;
    },
    vkAllocateDescriptorSets(next, device, address, out) {
      const account = twin.account(device), info = structAt("VkDescriptorSetAllocateInfo", address);
      const pool = account?.pools.get(info.descriptorPool as bigint);
      if (!account || !pool) return next(device, address, out);
      const wanted = wantedBy(account, info), lack = lackOf(pool, wanted);
      if (lack !== undefined) {
        return twin.refuse(
          "vkAllocateDescriptorSets",
          VK_ERROR_OUT_OF_POOL_MEMORY,
          ["VkDescriptorPoolCreateInfo"],
          lack,
        );
      }
      const result = next(device, address, out);
      if (result >= 0) wanted.forEach((counts, index) => take(pool, peek64(out + BigInt(8 * index)), counts));
      return result;
    },
    vkFreeDescriptorSets(next, device, handle, count, sets) {
      const pool = twin.account(device)?.pools.get(handle);
      for (let index = 0; pool && index < count; index++) giveBack(pool, peek64(sets + BigInt(8 * index)));
      return next(device, handle, count, sets);
    },
  };
}

const LAYOUT = "VkDescriptorSetLayoutCreateInfo", CREATE_LAYOUT = "vkCreateDescriptorSetLayout";

function layoutHooks(twin: Twin): Record<string, AnyHook> {
  const support: AnyHook = (next, device, info, out) => {
    next(device, info, out);
    if (firstBeyond(twin, SET_RULES, [setLayoutOf(structAt(LAYOUT, info))])) poke32(out + INNER, 0);
  };
  return {
    vkGetDescriptorSetLayoutSupport: support,
    vkGetDescriptorSetLayoutSupportKHR: support,
    vkCreateDescriptorSetLayout(next, device, info, allocator, out) {
      const layout = setLayoutOf(structAt(LAYOUT, info)), beyond = firstBeyond(twin, SET_RULES, [layout]);
      if (beyond) return refuseBeyond(twin, CREATE_LAYOUT, beyond);
      const result = next(device, info, allocator, out);
      if (result >= 0) twin.account(device)?.layouts.set(peek64(out), layout);
      return result;
    },
    vkDestroyDescriptorSetLayout(next, device, layout, allocator) {
      next(device, layout, allocator);
      twin.account(device)?.layouts.delete(layout);
    },
  };
}

function summed(pairs: readonly (readonly [number, number])[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const [type, count] of pairs) sums.set(type, (sums.get(type) ?? 0) + count);
  return sums;
}

function poolOf({ maxSets, pPoolSizes }: StructObject): DescriptorPool {
  const sizes = (pPoolSizes as StructObject[] | null) ?? [], sets = maxSets as number;
  const left = summed(sizes.map((each) => [each.type as number, each.descriptorCount as number]));
  return { sets, left: new Map(left), taken: new Map() };
}

/** The last binding of a layout may have a size that only the allocation tells; such sets count as they were laid out. */
function wantedBy({ layouts }: DeviceAccount, info: StructObject): Counts[] {
  const isVariable = (info.pNext as StructObject[]).some(({ sType }) =>
    sType === VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO
  );
  const none: Counts = new Map();
  return ((info.pSetLayouts as bigint[] | null) ?? []).map((layout) =>
    isVariable ? none : layouts.get(layout)?.counts ?? none
  );
}

/** Returns what a pool lacks, as a clause; `undefined` if nothing. */
function lackOf(pool: DescriptorPool, wanted: readonly Counts[]): string | undefined {
  if (wanted.length > pool.sets) return `the pool has ${pool.sets} sets left, and ${wanted.length} were asked for`;
  for (const [type, count] of summed(wanted.flatMap((counts) => [...counts]))) {
    const left = pool.left.get(type) ?? 0;
    if (count > left) return `the pool has ${left} descriptors of type ${type} left, and ${count} were asked for`;
  }
  return undefined;
}

function take(pool: DescriptorPool, set: bigint, counts: Counts): void {
  pool.sets--;
  for (const [type, count] of counts) pool.left.set(type, (pool.left.get(type) ?? 0) - count);
  pool.taken.set(set, counts);
}

function giveBack(pool: DescriptorPool, set: bigint): void {
  const counts = pool.taken.get(set);
  if (!counts) return;
  pool.sets++;
  for (const [type, count] of counts) pool.left.set(type, (pool.left.get(type) ?? 0) + count);
  pool.taken.delete(set);
}
