import { createContext, useContext } from 'react'

/**
 * The time of a stored document, in milliseconds since 1970. Inside it nothing is read from the server, links are plain
 * text, because their targets belong to the system that wrote the document, and clocks stand at that time.
 */
export const AsOfContext = createContext<number | null>(null)

/** The time of the document around this component; null in the live console. */
export const useAsOf = (): number | null => useContext(AsOfContext)
