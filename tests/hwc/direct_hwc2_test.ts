import { directSubject } from "./suite/direct_subject.ts";
import { hwc2TestCases } from "./suite/hwc2_test/mod.ts";
import { runCases } from "./suite/run.ts";

runCases("direct", "Hwc2Test", hwc2TestCases, directSubject);
