import { assertEquals } from "@std/assert";
import { programsOf } from "../../../support/pages.ts";
import { runPasted } from "../../../support/pasted.ts";
import { ON_CARDS } from "./on_vkms.ts";

Deno.test("the program of the page about real displays prints what the page says", ON_CARDS, () => {
  const [{ source }] = programsOf("kms"), { code, output } = runPasted(source);
  assertEquals([code, output.trim()], [0, "window: primary shows it"]);
});
