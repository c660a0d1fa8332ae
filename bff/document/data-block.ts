/** The id of the element that holds the data; `web/api/document-data.ts` reads it. */
const ELEMENT_ID = 'document-data'

/**
 * JSON as a data block of an HTML document. Browsers do not run data blocks, so the content security policy needs no
 * exception for it. Every `<` is escaped, so no value can end the element or open a comment.
 */
export function dataBlock(json: string): string {
  const escaped = json.replace(/[<\u2028\u2029]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${code}`
  })
  return `<script type="application/json" id="${ELEMENT_ID}">${escaped}</script>`
}
