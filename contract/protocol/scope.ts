import * as z from 'zod'
import { InstallId, Key, WorkspaceId } from './keys.ts'

/** The place into which bundles are installed and whose configuration is edited. */
export const Scope = z.strictObject({
  environmentKey: Key,
  applicationRuntimeId: Key,
  workspaceId: WorkspaceId,
})
export type Scope = z.infer<typeof Scope>

/** A bundle at its source; its environment can differ from the one it is installed in. */
export const BundleRef = z.strictObject({ environmentKey: Key, bundleId: Key })
export type BundleRef = z.infer<typeof BundleRef>

/** The full identity of one installation. Strict, because the echo must match exactly. */
export const InstallationIdentity = z.strictObject({
  environmentKey: Key,
  applicationRuntimeId: Key,
  workspaceId: WorkspaceId,
  bundleInstallId: InstallId,
  bundle: BundleRef,
})
export type InstallationIdentity = z.infer<typeof InstallationIdentity>
