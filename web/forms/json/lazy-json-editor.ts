import { lazyPart } from '../../base/lazy-part.ts'

/** The editor of JSON, which is the largest part of the console. */
export const LazyJsonEditor = lazyPart(async () => (await import('./JsonEditor.tsx')).JsonEditor)
