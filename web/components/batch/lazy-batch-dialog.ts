import { lazyForm } from '../lazy-part.ts'

/** The dialog that creates a batch. It and its texts are loaded when it is first opened. */
export const BatchDialog = lazyForm(
  async () => (await import('./BatchDialog.tsx')).BatchDialog,
  ['batches', 'codeTitles', 'installations', 'plans', 'recovery', 'selection'],
)
