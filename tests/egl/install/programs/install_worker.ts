/** Installs a loader in a Worker and says what came of it; told so, it uninstalls it and says so again. */
import { loadEgl } from "../../../../egl/mod.ts";

const egl = loadEgl({ driver: "libEGL_mesa.so.0", log: () => {} });

function outcome(work: () => void): string {
  try {
    work();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

const scope = self as unknown as {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: () => void): void;
  close(): void;
};
let installed: Disposable | undefined;
scope.postMessage(outcome(() => installed = egl.install()));
scope.addEventListener("message", () => {
  scope.postMessage(outcome(() => installed?.[Symbol.dispose]()));
  egl.close();
  scope.close();
});
