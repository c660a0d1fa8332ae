import { lazyPart } from '../../components/lazy-part.ts'

/** The parts of the editor that many visits do not need. The controls that open them load them first. */
export const DocumentTab = lazyPart(async () => (await import('./document/DocumentTab.tsx')).DocumentTab)
export const DocumentPane = lazyPart(async () => (await import('./document/DocumentTab.tsx')).DocumentPane)
export const HistoryTab = lazyPart(async () => (await import('./history/HistoryTab.tsx')).HistoryTab)
export const PropertyHistoryDialog = lazyPart(
  async () => (await import('./history/PropertyHistoryDialog.tsx')).PropertyHistoryDialog,
)
export const ReferenceTest = lazyPart(
  async () => (await import('./form/ReferenceTest.tsx')).ReferenceTest,
  ['references'],
)
