/**
 * Serves the composer that is measured, until it is killed. Argument: where.
 *
 * @module
 */
import { serveComposer } from "../../hwc/remote/server/serve.ts";
import { steppedComposer } from "./stepped.ts";

serveComposer(steppedComposer(), Deno.args[0]);
console.log("serving");
