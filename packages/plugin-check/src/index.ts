// The checker as a library, for a test runner: everything else in this folder may change.
export { CASES } from './cases/all-cases.ts'
export { type Case } from './cases/case.ts'
export { check, type CheckOptions } from './commands/check.ts'
export { type Profile, parseProfile, readProfile, UsageError } from './profile.ts'
export { toHtml } from './report/html.ts'
export { toJson, toJunit } from './report/formats.ts'
export { isFinding, type Report, type ReportedCase } from './report/report.ts'
