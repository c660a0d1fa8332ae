import type { CallResource } from './call.ts'

/**
 * What each plugin sees of its Modules: by pluginId and locator, the types of `values`, `references` and `writes`. The
 * files that `plugin-sdk types` writes add to it; without them it is empty.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- files of authors add to it
export interface Plugins {}

type Part<Id extends keyof Plugins, Locator extends keyof Plugins[Id], Name extends string> =
  Plugins[Id][Locator] extends Record<Name, infer Found> ? Found : never

/** The Modules of a call: of a plugin in `Plugins`, each with its locator and the types of its values. */
export type ResourceOf<Id extends string> = [Id] extends [keyof Plugins]
  ? {
      [Locator in keyof Plugins[Id] & string]: Omit<CallResource, 'locator' | 'values' | 'references'> & {
        locator: Locator
        values: Readonly<Part<Id, Locator, 'values'>>
        references: Readonly<Part<Id, Locator, 'references'>>
      }
    }[keyof Plugins[Id] & string]
  : CallResource

type WriteNames<Id extends keyof Plugins> = {
  [Locator in keyof Plugins[Id]]: keyof Part<Id, Locator, 'writes'>
}[keyof Plugins[Id]]

/** Gives a declaration that the manifest of the plugin does not allow the type never. */
export type WritesOf<Id extends string, Declared> = [Id] extends [keyof Plugins]
  ? { readonly [name in Exclude<keyof Declared, WriteNames<Id>>]: never }
  : unknown

type ValueOf<Id extends keyof Plugins, Name> = {
  [Locator in keyof Plugins[Id]]: Name extends keyof Part<Id, Locator, 'writes'>
    ? Part<Id, Locator, 'writes'>[Name]
    : never
}[keyof Plugins[Id]]

/**
 * What the plugin may write, by name: a handler that writes to several Modules often knows their locators only when it runs,
 * so any type that a Module has for the name is right.
 */
export type ValuesOf<Id extends string> = [Id] extends [keyof Plugins]
  ? { readonly [name in WriteNames<Id> & string]?: ValueOf<Id, name> }
  : unknown
