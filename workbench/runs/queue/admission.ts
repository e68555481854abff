import type { RunRecord } from "./messages.ts";
import type { Delivery } from "./worker_options.ts";
import { recordBytes, recordSubject, SIGNATURE } from "./seal.ts";
import { driverFor } from "./units.ts";

/** Returns the reason why a worker with a key does not execute a task of a run; `undefined` if the worker may. */
export async function refusalOf(
  { seal, message, place, driver, card }: Delivery,
  record: RunRecord,
): Promise<string | undefined> {
  if (!seal) return undefined;
  const signature = message.headers?.get(SIGNATURE) ?? "", by = `by the key of the worker on ${card.host}`;
  if (!await seal.isGood(message.subject, message.data, signature)) {
    return `the task is not signed ${by}: --key of the run has to be the private key of the worker's`;
  }
  if (!await seal.isGood(recordSubject(place.run), recordBytes(record), record.signature ?? "")) {
    return `the run is not signed ${by}: its record was changed in the queue`;
  }
  const group = record.groups[place.group];
  return group && driverFor(group, card, [driver]) ? undefined : "the task is not for the driver of this worker";
}
