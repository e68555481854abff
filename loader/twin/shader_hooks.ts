import { bytesAt } from "../../ffi/arena.ts";
import { peek64 } from "../../ffi/machine.ts";
import { structAt, type StructObject, structsAt } from "../codec/codec.ts";
import { VK_ERROR_UNKNOWN } from "../gen/enums_core_gen.js";
import { VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO } from "../gen/enums_stype_gen.js";
import type { AnyHook } from "../layer.ts";
import type { Twin } from "./twin.ts";
import { workgroupOf } from "./workgroup.ts";

/** Makes the hooks that compare workgroups with the limits on them when a pipeline is made. */
export function shaderHooks(twin: Twin): Record<string, AnyHook> {
  const { maxComputeWorkGroupSize: sizes, maxComputeWorkGroupInvocations: invocations } = twin.limits;
  if (sizes === undefined && invocations === undefined) return {};
  return {
    vkCreateShaderModule(next, device, info, allocator, out) {
      const result = next(device, info, allocator, out);
      if (result >= 0) {
        twin.account(device)?.modules.set(peek64(out), codeOf(structAt("VkShaderModuleCreateInfo", info)));
      }
      return result;
    },
    vkDestroyShaderModule(next, device, module, allocator) {
      next(device, module, allocator);
      twin.account(device)?.modules.delete(module);
    },
    vkCreateComputePipelines(next, device, cache, count, infos, allocator, out) {
      for (const { stage } of structsAt("VkComputePipelineCreateInfo", infos, count)) {
        const refusal = refuseStage(twin, device, stage as StructObject);
        if (refusal !== undefined) return refusal;
      }
      return next(device, cache, count, infos, allocator, out);
    },
  };
}

function codeOf({ pCode }: StructObject): Uint32Array {
  return Uint32Array.from(pCode as ArrayLike<number>);
}

/** The code of a stage is a module or, without one, a struct in the chain. */
function refuseStage(twin: Twin, device: bigint, stage: StructObject): number | undefined {
  const inline = (stage.pNext as StructObject[]).find(({ sType }) =>
    sType === VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO
  );
  const code = inline ? codeOf(inline) : twin.account(device)?.modules.get(stage.module as bigint);
  const size = code &&
    workgroupOf(code, stage.pName as string, constantsOf(stage.pSpecializationInfo as StructObject | null));
  if (!size) return undefined;
  const refuse = (limit: string, most: unknown) =>
    twin.refuse(
      "vkCreateComputePipelines",
      VK_ERROR_UNKNOWN,
      [limit],
      `${limit} is ${most}, and a shader has workgroups of ${size.join(" x ")}`,
    );
  const most = twin.limits.maxComputeWorkGroupSize as number[] | undefined;
  if (most && size.some((each, axis) => each > most[axis])) return refuse("maxComputeWorkGroupSize", most.join(" x "));
  const all = twin.limits.maxComputeWorkGroupInvocations as number | undefined;
  if (all !== undefined && size.reduce((product, each) => product * each, 1) > all) {
    return refuse("maxComputeWorkGroupInvocations", all);
  }
  return undefined;
}

/** Returns specialized constants of 32 bits by their ids. */
function constantsOf(info: StructObject | null): Map<number, number> {
  if (!info) return new Map();
  const entries = (info.pMapEntries as { constantID: number; offset: number; size: number | bigint }[] | null) ?? [];
  const data = info.pData, bytes = typeof data === "bigint" ? bytesAt(data, Number(info.dataSize)) : data as Uint8Array;
  if (!bytes) return new Map();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return new Map(
    entries.filter(({ size }) => Number(size) === 4).map((
      { constantID, offset },
    ) => [constantID, view.getUint32(offset, true)]),
  );
}
