import { runHwc2Test, runVts } from "./suite/all_suites.ts";
import { promisedSubject } from "./suite/promised_subject.ts";

runHwc2Test("promised", promisedSubject);
runVts("promised", promisedSubject);
