import { runHwc2Test } from "./suite/all_suites.ts";
import { directSubject } from "./suite/direct_subject.ts";

runHwc2Test("direct", directSubject);
