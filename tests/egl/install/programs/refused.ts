/** The refusals of install(); prints the sentences. */
import { loadEgl } from "../../../../egl/mod.ts";

function refusal(use: () => unknown): string {
  try {
    use();
    return "nothing was refused";
  } catch (error) {
    return (error as Error).message;
  }
}

const one = loadEgl({ driver: "libEGL_mesa.so.0" }), other = loadEgl({ driver: "libEGL_mesa.so.0" });
const installed = one.install(), second = refusal(() => other.install());
one.close();
installed.uninstall();
const closed = refusal(() => one.install());
other.install().uninstall();
other.close();
const system = loadEgl({ driver: "libEGL.so.1" }), front = refusal(() => system.install());
system.close();
console.log(JSON.stringify({ front, second, closed }));
