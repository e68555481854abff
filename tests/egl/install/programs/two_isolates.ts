/** A Worker installs a loader before this isolate does; prints what install() says while it is there, and afterwards. */
import { loadEgl } from "../../../../egl/mod.ts";

const worker = new Worker(new URL("install_worker.ts", import.meta.url), { type: "module" });
const answer = () => new Promise<string>((resolve) => worker.onmessage = ({ data }) => resolve(data));
const egl = loadEgl({ driver: "libEGL_mesa.so.0", log: () => {} });

function refusal(): string {
  try {
    egl.install().uninstall();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

const first = await answer(), second = refusal();
worker.postMessage("uninstall");
const gone = await answer(), third = refusal();
egl.close();
console.log(JSON.stringify({ first, second, gone, third }));
