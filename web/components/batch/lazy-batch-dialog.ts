import { lazyForm } from '../lazy-part.ts'

/** The dialog that makes a batch, with its texts. */
export const BatchDialog = lazyForm(
  async () => (await import('./BatchDialog.tsx')).BatchDialog,
  ['batches', 'codeTitles', 'installations', 'plans', 'selection'],
)
