/**
 * Copies a text. Without the clipboard API, which browsers offer only over https and to localhost, it selects the text in a field
 * and has the browser copy the selection.
 *
 * @returns false if the browser refuses both.
 */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  try {
    // called before anything is awaited: browsers write to the clipboard only during the click
    if (typeof text === 'string') await navigator.clipboard.writeText(text)
    else {
      const blob = text.then((plain) => new Blob([plain], { type: 'text/plain' }))
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
    }
    return true
  } catch {
    return copySelected(await text)
  }
}

function copySelected(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'sr-only'
  // outside of a modal dialog nothing can be selected
  const dialogs = document.querySelectorAll('dialog:modal')
  ;(dialogs[dialogs.length - 1] ?? document.body).append(field)
  field.select()
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- there is no other way without the clipboard API
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    field.remove()
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  }
}
