/** What the filters of a list open, as one chunk. */
export { ChoiceList } from '../ui/ChoiceList.tsx'
export { TextFilterForm } from './TextFilterForm.tsx'
export { TimeForm } from './TimeForm.tsx'
