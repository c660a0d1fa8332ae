// The names of the runtime API's states, for the browser; without zod.
export * from '#contract/runtime-api/vocabulary.ts'
