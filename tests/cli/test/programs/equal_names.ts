import { gpuTest } from "../../../../workbench/runs/testing/mod.ts";

gpuTest("twice", () => {});
gpuTest("twice", () => {});
