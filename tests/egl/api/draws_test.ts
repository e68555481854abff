import { needs } from "../../support/require.ts";
import { assertRows, rowsOf } from "../../support/rows.ts";
import { drivers } from "../drivers.ts";

const RED = "255,0,0,255 fine";
const beyond = (command: string, range: string, array = "attribute 0", has = 3) =>
  `RangeError: Cannot carry out ${command}(): it reads elements ${range} of the array of ${array}, which has ${has}`;

for (const driver of drivers) {
  const { name, part, found } = driver;
  Deno.test(`draws beyond typed arrays are refused, all others carried out, on ${name}`, needs(part, found), () => {
    const indexed = beyond("glDrawElements", "0 to 60000");
    assertRows(rowsOf("tests/egl/api/programs/draws.ts", [name]), {
      "what fits": RED,
      "far beyond": beyond("glDrawArrays", "0 to 2999999"),
      "one beyond": beyond("glDrawArrays", "1 to 3"),
      "from far": beyond("glDrawArrays", "2147483644 to 2147483646"),
      "nothing": "0,0,0,0 fine",
      "instances": RED,
      "instances beyond": beyond("glDrawArraysInstanced", "0 to 2999999"),
      "indices": RED,
      "an index beyond": indexed,
      "a byte beyond": beyond("glDrawElements", "0 to 255"),
      "a word beyond": beyond("glDrawElements", "0 to 2147483648"),
      "many indices beyond": beyond("glDrawElements", "0 to 50000"),
      "a range beyond": beyond("glDrawRangeElements", "0 to 60000"),
      "indices in a buffer": RED,
      "an index beyond in a buffer": indexed,
      "several draws beyond": beyond("glMultiDrawArraysEXT", "0 to 3000000"),
      "several indexed draws": "Cannot carry out glMultiDrawElementsEXT",
      "a restart": RED,
      "a divisor": "fine",
      "a divisor beyond": beyond("glDrawArraysInstanced", "0 to 2999999"),
      "a disabled array": "fine",
      "a stride beyond": beyond("glDrawArrays", "0 to 2", "attribute 0", 1),
      "a buffer in its place": RED,
      "ES 1": RED,
      "ES 1 beyond": beyond("glDrawArrays", "0 to 2999999", "glVertexPointer"),
      "ES 1, texture coordinates of another unit beyond": beyond("glDrawArrays", "0 to 8999", "glTexCoordPointer"),
      "another context without arrays": "fine",
    });
  });
}
