import { needs } from "../../support/require.ts";
import { assertRows, rowsOf } from "../../support/rows.ts";
import { drivers } from "../drivers.ts";

for (const { name, part, found } of drivers) {
  Deno.test(
    `a view is empty when its own buffer is unmapped, and only then (${name})`,
    needs(part, found || undefined),
    () => {
      assertRows(rowsOf("tests/egl/api/programs/mapping.ts", [name]), {
        "two buffers on one target": "16 and 0, then 0 and 0",
        "another target": "0",
        "a deleted buffer": "0 and 16",
        "new data": "0",
        "a command that fails": "16",
        "a context that shares buffers": "0",
        "writing to what is gone": "written nowhere",
      });
    },
  );
  Deno.test(
    `arrays are as long as their names say, whole, and in range (${name})`,
    needs(part, found || undefined),
    () => {
      assertRows(rowsOf("tests/egl/api/programs/arrays.ts", [name]), {
        "a short colour": 'RangeError: Cannot use 1 elements as "params": the command reads 4',
        "a short colour of two names": 'RangeError: Cannot use 3 elements as "params": the command reads 4',
        "a short clear value": 'RangeError: Cannot use 2 elements as "value": the command reads 4',
        "no parameter": 'RangeError: Cannot use 0 elements as "params": the command reads 1',
        "a hole": 'TypeError: Cannot use undefined as "value[1]"',
        "a hole among buffers": 'TypeError: Cannot use undefined as "buffers[0]"',
        "too many names": "RangeError: Arena is full",
        "above 32 bits": 'TypeError: Cannot use 4294967296 as "mask"',
        "no number": 'TypeError: Cannot use NaN as "mask"',
        "a fraction": 'TypeError: Cannot use 0.5 as "x"',
        "above 64 bits": 'TypeError: Cannot use 18446744073709551616 as "size"',
        "what fits": "no error",
      });
    },
  );
}
