import { lazyPart } from '../../../base/lazy-part.ts'

/** The dialog that creates a batch. It is loaded when it is first opened. */
export const LazyBatchDialog = lazyPart(async () => (await import('./BatchDialog.tsx')).BatchDialog)
