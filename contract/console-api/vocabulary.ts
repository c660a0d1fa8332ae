// The names of the runtime API's states, for the browser; without zod.
export * from '#contract/runtime-api/vocabulary.ts'
export { durationMs, momentAt } from '#contract/runtime-api/moment.ts'
export {
  fillLink,
  hostOf,
  isLinkTemplate,
  isWebPage,
  LINK_PLACEHOLDERS,
} from '#contract/runtime-api/link-template.ts'
export { repeatedCodes, RUNBOOKS_MAX } from '#contract/runtime-api/runbook-rules.ts'
export { BATCH_PERMISSION } from '#contract/runtime-api/batch-permission.ts'
