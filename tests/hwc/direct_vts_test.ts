import { runVts } from "./suite/all_suites.ts";
import { directSubject } from "./suite/direct_subject.ts";

runVts("direct", directSubject);
