/**
 * A second file of tests, for the report of several files.
 *
 * @module
 */
import { gpuTest } from "@pumice/gfx/testing";
import { assertEquals } from "@std/assert";

gpuTest("passes elsewhere", {}, ({ buffer }) => assertEquals(buffer(16).bytes.length, 16));
