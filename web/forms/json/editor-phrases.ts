import type { Translate } from '../../i18n/use-text.ts'

/** The words of the editor's own panels and marks in the language that is shown, by the word in the library. */
export const editorPhrases = (t: Translate): Record<string, string> => ({
  Find: t('forms.editor.find'),
  Replace: t('forms.editor.replaceWith'),
  next: t('forms.editor.next'),
  previous: t('forms.editor.previous'),
  all: t('forms.editor.all'),
  'match case': t('forms.editor.matchCase'),
  regexp: t('forms.editor.pattern'),
  'by word': t('forms.editor.word'),
  replace: t('forms.editor.replace'),
  'replace all': t('forms.editor.replaceAll'),
  close: t('forms.editor.close'),
  'Go to line': t('forms.editor.goToLine'),
  go: t('forms.editor.go'),
  'current match': t('forms.editor.match'),
  'on line': t('forms.editor.onLine'),
  'Fold line': t('forms.editor.fold'),
  'Unfold line': t('forms.editor.unfold'),
})
