import type { Code, Label } from "../asm/code.ts";
import type { AbsentSpec } from "./emitter.ts";
import type { Routine, Variable } from "./routine.ts";

/** Standard error. */
const STANDARD_ERROR = 2;

/**
 * Writes functions of any signature, each of which says on standard error
 * that it was called, and for which driver, and returns its result. They lie `ENTRY_SIZE` apart.
 */
export function writeAbsent(code: Code, routine: Routine, { entries, slots }: AbsentSpec): void {
  const shared = new Map<string, Label>(),
    key = (entry: Entry) => `${entry.result} ${entry.tableOffset} ${entry.heardOffset}`;
  for (const entry of entries) {
    if (!shared.has(key(entry))) shared.set(key(entry), writeAbsence(routine, `absence${shared.size}`, entry, slots));
  }
  code.begin("absent");
  entries.forEach((entry, index) => {
    code.alignEntry();
    routine.passNumber(1, index);
    routine.jump(shared.get(key(entry))!);
  });
}

type Entry = AbsentSpec["entries"][number];

/** `int32_t absence(handle, uint32_t index)`: what functions share that are alike. */
function writeAbsence(
  routine: Routine,
  symbol: string,
  { result, tableOffset, heardOffset }: Entry,
  slots: AbsentSpec["slots"],
): Label {
  const driver: Variable = 0, name: Variable = 1, format: Variable = 2, calls: Variable = 3, table: Variable = 4;
  const label = routine.begin(symbol), unheard = routine.label();
  routine.argument(table, 0);
  routine.argument(name, 1);
  routine.loadSlot(format, slots.names);
  for (let doubled = 0; doubled < 3; doubled++) routine.addVariable(name, name); // eight bytes for each
  routine.addVariable(name, format);
  routine.load(name, name);
  if (tableOffset !== undefined || heardOffset !== undefined) routine.load(table, table);
  if (tableOffset === undefined) routine.loadSlot(driver, slots.driver);
  else routine.load(driver, table, tableOffset);
  routine.loadSlot(format, slots.format);
  routine.passNumber(0, STANDARD_ERROR); // int dprintf(int fd, const char *format, ...)
  routine.pass(1, format);
  routine.pass(2, name);
  routine.pass(3, driver);
  routine.loadSlot(calls, slots.calls);
  routine.callAt(calls, 0);
  if (heardOffset !== undefined) {
    routine.load(calls, table, heardOffset);
    routine.ifZero(calls, unheard);
    [table, format, name, driver].forEach((variable, index) => routine.pass(index, variable));
    routine.callAt(table, heardOffset);
  }
  routine.place(unheard);
  routine.finish(result >>> 0);
  return label;
}
