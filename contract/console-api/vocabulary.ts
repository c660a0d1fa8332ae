// The names of the runtime API's states, for the browser; without zod.
export * from '#contract/runtime-api/vocabulary.ts'
export { durationMs, momentAt } from '#contract/runtime-api/moment.ts'
