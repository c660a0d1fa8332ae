import { parseTrustedJson } from '#contract/protocol/strict-json.ts'
import type { QueryClient } from '@tanstack/react-query'
import type { EndpointName } from './client.ts'

/** The data in the document, written by `bff/document/page-data.ts`. */
interface DocumentData {
  /** An event position from before the responses; null if the server has none. */
  position: string | null
  answers: readonly { name: EndpointName; call: unknown; answer: unknown }[]
}

/** The event position of the document's responses, and their endpoints. */
export interface DocumentOrigin {
  position: string | null
  names: readonly EndpointName[]
}

const NO_ORIGIN: DocumentOrigin = { position: null, names: [] }

let origin = NO_ORIGIN

/** Puts the responses of the document into the query client, once the document is parsed. */
export async function loadDocumentData(client: QueryClient): Promise<void> {
  await untilParsed()
  const element = document.getElementById('document-data')
  if (element === null) return
  // written by the console's server from validated responses
  const { position, answers } = parseTrustedJson(element.textContent) as DocumentData
  // it can be large and is not needed again
  element.remove()
  for (const { name, call, answer } of answers) client.setQueryData([name, call], answer)
  origin = { position, names: answers.map(({ name }) => name) }
}

/** Only for the first event stream: later ones have their own position. */
export function takeDocumentOrigin(): DocumentOrigin {
  const taken = origin
  origin = NO_ORIGIN
  return taken
}

function untilParsed(): Promise<void> {
  if (document.readyState !== 'loading') return Promise.resolve()
  return new Promise((resolve) => {
    document.addEventListener('DOMContentLoaded', () => resolve(), { once: true })
  })
}
