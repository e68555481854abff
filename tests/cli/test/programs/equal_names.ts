import { gpuTest } from "../../../../wsi/testing/mod.ts";

gpuTest("twice", () => {});
gpuTest("twice", () => {});
