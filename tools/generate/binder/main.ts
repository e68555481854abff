import { emitAidl, readDeclarations } from "./aidl.ts";
import { emitHidl } from "./hidl.ts";

/** The descriptions, and the modules that are written of them. */
const FOLDER = "tools/generate/binder/", MODULES = "hwc/binder/gen/";

/** Writes the codecs of binder's interfaces in memory, by their paths below the project's root. */
export function generateBinder(): Map<string, string> {
  const aidl = textOf("composer3.txt"), hidl = textOf("composer_hidl.txt");
  return new Map([
    [`${MODULES}composer3_gen.ts`, emitAidl(readDeclarations(aidl), `${FOLDER}composer3.txt`)],
    [`${MODULES}composer_hidl_gen.ts`, emitHidl(hidl, `${FOLDER}composer_hidl.txt`)],
  ]);
}

function textOf(name: string): string {
  return Deno.readTextFileSync(new URL(name, import.meta.url));
}
