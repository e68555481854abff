/**
 * Android's suites against a composer in another process, with commands that go
 * over together as a frame's do.
 *
 * @module
 */
import { runHwc2Test, runVts } from "../suite/all_suites.ts";
import { FarServer } from "./far_server.ts";
import { remoteFactory } from "./remote_subject.ts";

const server = new FarServer();
globalThis.addEventListener("unload", () => void server.close());

const factory = remoteFactory(server);

runHwc2Test("remote", factory);
runVts("remote", factory);
