import { startXServer } from "../../../support/x_server.ts";

/** Gives a folder and the display of an X server, and takes them away again. */
export async function withWindows(use: (folder: string, display: string) => void): Promise<void> {
  const folder = Deno.makeTempDirSync();
  try {
    await using server = await startXServer();
    use(folder, server.display);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
