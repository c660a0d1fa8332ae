import type { QueryClient } from '@tanstack/react-query'
import type { EndpointName } from './client.ts'

/** The data of the document, as `bff/document/page-data.ts` writes it. */
interface DocumentData {
  /** An event position from before the answers; null when the server knows none. */
  position: string | null
  answers: readonly { name: EndpointName; call: unknown; answer: unknown }[]
}

/** Where the event stream of the document's answers starts, and which endpoints they are from. */
export interface DocumentOrigin {
  position: string | null
  names: readonly EndpointName[]
}

const NO_ORIGIN: DocumentOrigin = { position: null, names: [] }

let origin = NO_ORIGIN

/** Puts the answers of the document into the query client, once the document is parsed. */
export async function loadDocumentData(client: QueryClient): Promise<void> {
  await untilParsed()
  const element = document.getElementById('document-data')
  if (element === null) return
  // written by our own server from answers that it has validated
  const { position, answers } = JSON.parse(element.textContent) as DocumentData
  // it can be large, and is not read again
  element.remove()
  for (const { name, call, answer } of answers) client.setQueryData([name, call], answer)
  origin = { position, names: answers.map(({ name }) => name) }
}

/** For the first event stream only: a later one starts after answers of its own. */
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
