import { peek64 } from "../../ffi/machine.ts";
import { DriverError } from "../error.ts";
import type { DispatchTable } from "./dispatch_table.ts";
import type { ChainElement } from "./element.ts";

/**
 * Throws a {@linkcode DriverError} when a layer has put something of its own
 * where the driver is to return the handle, before it called down: what stands
 * there is the loader's until then.
 */
export function checkStandIn(
  standIns: ReadonlySet<bigint>,
  type: "VkInstance" | "VkDevice",
  out: bigint,
  elements: readonly ChainElement[],
): void {
  if (standIns.has(peek64(out))) return;
  const rule = type === "VkInstance" ? "LLP_LAYER_21" : "LLP_LAYER_22";
  throw refusal(
    elements,
    `one of them changed *p${type.slice(2)} before it called vkCreate${type.slice(2)} of the next layer (${rule})`,
  );
}

/**
 * Checks that a handle which came through layers begins with the dispatch key
 * that the driver's own was given: layers that wrap handles must copy it.
 * Otherwise calls `release` and throws a {@linkcode DriverError}.
 */
export function adoptWrapped(
  handle: bigint,
  table: DispatchTable,
  type: "VkInstance" | "VkDevice",
  elements: readonly ChainElement[],
  release: () => void,
): void {
  const word = peek64(handle);
  if (word === table.address) return;
  release();
  throw refusal(
    elements,
    `the ${type} one of them returned begins with 0x${word.toString(16)}, not with the dispatch key of the one below`,
  );
}

function refusal(elements: readonly ChainElement[], what: string): DriverError {
  const names = elements.map(({ name }) => name).join(", ");
  return new DriverError(
    elements[0]?.name ?? "",
    `Cannot use layers ${names} together: ${what}; leave out the faulty one`,
  );
}
