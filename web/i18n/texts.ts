import type { texts } from './en/index.ts'
import type { Translated } from './messages.ts'

/** All texts by namespace, as English defines them. */
export type Catalogue = typeof texts
export type Namespace = keyof Catalogue
/** All texts of a language. */
export type Texts = { readonly [Name in Namespace]: Translated<Catalogue[Name]> }
