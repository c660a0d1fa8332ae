import * as z from 'zod'
import { InstallId, Key, WorkspaceId } from './keys.ts'

/** The place that bundles are installed into and whose configuration is edited. */
export const Scope = z.strictObject({
  environmentKey: Key,
  applicationRuntimeId: Key,
  workspaceId: WorkspaceId,
})
export type Scope = z.infer<typeof Scope>

/** A bundle at its source; its environment may differ from the one that it is installed in. */
export const BundleRef = z.strictObject({ environmentKey: Key, bundleId: Key })
export type BundleRef = z.infer<typeof BundleRef>

/** One installation in full. Strict, because an echo with anything more in it is not an echo. */
export const InstallationIdentity = z.strictObject({
  environmentKey: Key,
  applicationRuntimeId: Key,
  workspaceId: WorkspaceId,
  bundleInstallId: InstallId,
  bundle: BundleRef,
})
export type InstallationIdentity = z.infer<typeof InstallationIdentity>
